package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Channel.RateLimit;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.Failures;
import dev.semel.store.Permits;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingPermits;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Rate limits of operations and channels: on all nodes together, on each, and for each tenant. */
abstract class RateLimitSuite extends ChannelFixture {
    private static final Tenant OTHER = Tenant.of("other");
    private static final RateLimit FIVE = RateLimit.perSecond(5);

    private int number;

    RateLimitSuite(EngineContract contract) {
        super(contract);
    }

    private static Operation.Atomic<Order, Receipt> buy(RateLimit limit) {
        return Operation.atomic("buy", Order.class, Receipt.class)
                .withPolicy("steady")
                .withRateLimit(limit);
    }

    private Answer<Receipt> run(Engine node, Tenant tenant, RateLimit limit) {
        String key = "k" + number++;
        return node.run(
                buy(limit), Call.of(tenant, Key.of(key), new Order("book", 1)), (order, tx) -> new Receipt(key));
    }

    /** How many of so many calls are run. */
    private int runs(Engine node, Tenant tenant, RateLimit limit, int calls) {
        int runs = 0;
        for (int i = 0; i < calls; i++) {
            runs += run(node, tenant, limit).isResult() ? 1 : 0;
        }
        return runs;
    }

    @Test
    void callOverTheLimitIsToldWhenToComeBackAndStoresNothing() {
        assertThat(runs(engine, ACME, FIVE, 5)).isEqualTo(5);
        Answer<Receipt> answer = run(engine, ACME, FIVE);
        assertThat(answer).isInstanceOf(Answer.RetryLater.class);
        Answer.RetryLater<Receipt> later = (Answer.RetryLater<Receipt>) answer;
        assertThat(Failures.isRateLimit(later.failure())).isTrue();
        assertThat(later.in()).isEqualTo(Duration.ofMillis(200));
        assertThat(later.notice().reason()).contains("too many calls of this kind");
        assertThat(row(buy(FIVE), "k5")).isNull();
        time.advance(later.in());
        assertThat(runs(engine, ACME, FIVE, 3)).isEqualTo(1);
    }

    @Test
    void nodesOnOneStoreShareALimit() {
        Engine other = otherNode();
        assertThat(runs(engine, ACME, FIVE, 3) + runs(other, OTHER, FIVE, 9) + runs(engine, ACME, FIVE, 9))
                .isEqualTo(5);
        time.advance(Duration.ofMillis(400));
        assertThat(runs(other, ACME, FIVE, 9) + runs(engine, ACME, FIVE, 9)).isEqualTo(2);
    }

    @Test
    void nodesThatTakeChunksStayWithinTheStatedBound() {
        RateLimit limit = RateLimit.perSecond(1_000).withBurst(50);
        Engine other = otherNode();
        int total = 0;
        for (int millis = 0; millis < 2_000; millis += 10) {
            total += runs(engine, ACME, limit, 8) + runs(other, ACME, limit, 8);
            time.advance(Duration.ofMillis(10));
        }
        assertThat(total).isBetween(1_800, 2_000 + 50 + 100);
    }

    @Test
    void nodeTakesChunksThatGrowWithItsCallsAndAsksNobodyWhileThereIsNone() {
        AtomicInteger asked = new AtomicInteger();
        Engine node = start(counting(asked), settings -> settings);
        RateLimit limit = RateLimit.perSecond(1_000);
        assertThat(runs(node, ACME, limit, 300)).isEqualTo(300);
        assertThat(asked.get()).isLessThan(15);
        asked.set(0);
        assertThat(runs(node, OTHER, RateLimit.of(1, Duration.ofHours(1)).withPerTenant(1), 50))
                .isLessThanOrEqualTo(1);
        assertThat(asked.get()).isLessThanOrEqualTo(3);
    }

    private Store counting(AtomicInteger asked) {
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Permits> permits() {
                return super.permits().map(each -> new ForwardingPermits(each) {
                    @Override
                    public Taken take(Take take) {
                        asked.incrementAndGet();
                        return super.take(take);
                    }
                });
            }
        };
    }

    @Test
    void limitOnEachNodeIsCountedByEachNode() {
        AtomicInteger asked = new AtomicInteger();
        Engine other = start(counting(asked), settings -> settings);
        assertThat(runs(engine, ACME, FIVE.onEachNode(), 9)).isEqualTo(5);
        assertThat(runs(other, ACME, FIVE.onEachNode(), 9)).isEqualTo(5);
        assertThat(asked).hasValue(0);
    }

    @Test
    void tenantThatUsesUpItsPermitsLeavesThoseOfOthers() {
        RateLimit limit = FIVE.withPerTenant(2);
        Engine node = otherNode();
        assertThat(runs(engine, ACME, limit, 20) + runs(node, ACME, limit, 20)).isEqualTo(2);
        assertThat(runs(engine, OTHER, limit, 20)).isEqualTo(2);
        assertThat(runs(node, Tenant.of("third"), limit, 20)).isEqualTo(1);
        assertThat(runs(engine, ACME, RateLimit.ofTenant(2, Duration.ofSeconds(1)), 1))
                .isZero();
        assertThat(runs(engine, Tenant.of("fourth"), RateLimit.ofTenant(2, Duration.ofSeconds(1)), 5))
                .isEqualTo(2);
    }

    @Test
    void tenantKeepsItsPermitWhenThereIsNoneForAllTogether() {
        RateLimit limit = FIVE.withPerTenant(2).onEachNode();
        assertThat(runs(engine, ACME, limit, 2) + runs(engine, OTHER, limit, 2)).isEqualTo(4);
        Tenant third = Tenant.of("third");
        assertThat(runs(engine, third, limit, 9)).isEqualTo(1);
        time.advance(Duration.ofMillis(200));
        assertThat(runs(engine, third, limit, 9)).isEqualTo(1);
    }

    @Test
    void storeThatCannotBeAskedForAPermitRunsNothing() {
        for (Faults.Fault fault : List.of(Faults.Fault.FAIL_BEFORE, Faults.Fault.LOSE_REPLY)) {
            Engine node = start(new FaultyStore(reopened(), Faults.nth(1, StoreCall.TAKE_PERMITS, fault)), all -> all);
            int before = number;
            assertThatThrownBy(() -> run(node, ACME, FIVE))
                    .isInstanceOf(SemelException.StoreUnavailable.class)
                    .hasMessageContaining(fault == Faults.Fault.LOSE_REPLY ? "permit" : "");
            assertThat(row(buy(FIVE), "k" + before)).isNull();
        }
        // The permits of the lost reply are gone, so the limit holds.
        assertThat(runs(engine, ACME, FIVE, 9)).isEqualTo(4);
    }

    @Test
    void takeoverCostsAPermit() {
        Operation.Leased<Order, Receipt> limited = NOTIFY.withRateLimit(RateLimit.of(1, Duration.ofHours(1)));
        engine.handle(limited, (order, run) -> new Receipt("taken over"));
        assertExecuted(engine.run(limited, call("first")), "taken over");
        abandon(limited, "lost");
        Row before = Objects.requireNonNull(row(limited, "lost"));
        time.advance(LEASE);
        engine.duties().sweeper().sweep();
        assertThat(Objects.requireNonNull(row(limited, "lost")).status()).isEqualTo(before.status());
        time.advance(Duration.ofHours(1));
        engine.duties().sweeper().sweep();
        assertThat(Objects.requireNonNull(row(limited, "lost")).status().attempt())
                .isEqualTo(2);
    }

    private void sendNotes(Channel<Note> channel, Tenant tenant, int count) {
        for (int i = 0; i < count; i++) {
            String key = tenant.name() + i;
            engine.send(channel, Message.of(tenant, Key.of(key), new Note(key, key)));
        }
    }

    @Test
    void nodesShareTheLimitOfAChannelUpToOneClaimEach() {
        Channel.Capacity capacity =
                Channel.Capacity.DEFAULT.withRateLimit(RateLimit.perSecond(20).withBurst(2));
        Engine other = otherNode();
        engine.handle(MAIL, capacity, listing());
        other.handle(MAIL, capacity, listing());
        sendNotes(MAIL, ACME, 100);
        for (int millis = 0; millis < 2_000; millis += 50) {
            work(engine);
            work(other);
            time.advance(Duration.ofMillis(50));
        }
        assertThat(handled).hasSizeBetween(36, 2 * 20 + 2 + 2 * 2);
        assertThat(handled).doesNotHaveDuplicates();
    }

    @Test
    void tenantOfAChannelWaitsForItsPermitsWhileOthersAreDelivered() {
        RateLimit limit = RateLimit.ofTenant(10, Duration.ofSeconds(1)).withBurst(1);
        engine.handle(POST, Channel.Capacity.DEFAULT.withRateLimit(limit), (note, tx) -> handled.add(note.text()));
        sendNotes(POST, ACME, 20);
        sendNotes(POST, OTHER, 2);
        work();
        assertThat(handled).hasSize(2).anyMatch(each -> each.startsWith("other"));
        time.advance(Duration.ofMillis(100));
        work();
        assertThat(handled).hasSize(4).contains("other0", "other1");
        workThrough(Duration.ofMillis(100), 9);
        assertThat(handled.stream().filter(each -> each.startsWith("acme"))).hasSizeBetween(10, 12);
    }

    @Test
    void limitOfAChannelHoldsWhileTheStoreCannotBeTold() {
        List<Faults.Fault> faults = new ArrayList<>(List.of(Faults.Fault.FAIL_BEFORE, Faults.Fault.LOSE_REPLY));
        Store faulty = new FaultyStore(reopened(), new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return call == StoreCall.TAKE_PERMITS && !faults.isEmpty() ? faults.remove(0) : Fault.NONE;
            }
        });
        Engine node = start(faulty, settings -> settings);
        node.handle(
                MAIL,
                Channel.Capacity.DEFAULT.withRateLimit(RateLimit.perSecond(10).withBurst(1)),
                listing());
        sendNotes(MAIL, ACME, 50);
        for (int millis = 0; millis < 1_000; millis += 50) {
            work(node);
            time.advance(Duration.ofMillis(50));
        }
        assertThat(handled).hasSizeBetween(6, 12);
    }
}
