package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Channel.RateLimit;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Permits;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingPermits;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a node keeps of rate limits, and what a call without limits and breakers costs. */
class RateLimitsTest {
    private static final Tenant ACME = Tenant.of("acme");

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final MemoryStore store = new MemoryStore(time);
    private boolean away;
    private final Engine engine = EngineSettings.on(withoutPermits())
            .withTime(time)
            .withLocalCache(10)
            .withoutBackground()
            .open();

    /** The store, which cannot be asked for permits while they are {@link #away}. */
    private Store withoutPermits() {
        return new ForwardingStore(store) {
            @Override
            public Optional<Permits> permits() {
                return super.permits().map(each -> new ForwardingPermits(each) {
                    @Override
                    public Taken take(Take take) {
                        if (away) {
                            throw new SemelException.StoreUnavailable("simulated");
                        }
                        return super.take(take);
                    }
                });
            }

            @Override
            public void close() {}
        };
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void bucketWhoseChunkWasNotUsedUpIsForgottenLikeANewOne() {
        RateLimit limit = RateLimit.ofTenant(1_000, Duration.ofSeconds(1));
        SharedBucket bucket = new SharedBucket(
                PermitBucket.BucketKey.of(limit, "buy", "acme", false),
                store.permits().orElseThrow(),
                time);
        for (int i = 0; i < 4; i++) {
            assertThat(bucket.tryTake()).isZero();
        }
        assertThat(bucket.isUnused()).as("while it holds permits").isFalse();
        time.advance(Duration.ofHours(1));
        assertThat(bucket.isUnused()).as("when they are too old to be used").isTrue();
    }

    @Test
    void resultThatThisProcessKnowsIsReplayedWhileNobodyCountsPermits() {
        Operation.Leased<String, String> buy =
                Operation.leased("buy", String.class, String.class).withRateLimit(RateLimit.perSecond(5));
        List<String> ran = new ArrayList<>();
        Call<String> call = Call.of(ACME, Key.of("k"), "book");
        Answer<String> first = engine.run(buy, call, (text, run) -> {
            ran.add(text);
            return text;
        });
        assertThat(first.isResult()).isTrue();
        away = true;
        assertThat(engine.run(buy, call, (text, run) -> "again")).isInstanceOf(Answer.Replayed.class);
        assertThatThrownBy(() -> engine.run(buy, Call.of(ACME, Key.of("other"), "book"), (text, run) -> "again"))
                .isInstanceOf(SemelException.StoreUnavailable.class);
        assertThat(ran).containsExactly("book");
    }

    @Test
    void storedAnswerIsGivenWhileNobodyCountsPermits() {
        RateLimit limit = RateLimit.perSecond(50);
        Operation.Leased<String, String> leased =
                Operation.leased("buy", String.class, String.class).withRateLimit(limit);
        Operation.Atomic<String, String> atomic =
                Operation.atomic("book", String.class, String.class).withRateLimit(limit);
        Call<String> call = Call.of(ACME, Key.of("k"), "book");
        Call<String> failing = Call.of(ACME, Key.of("failing"), "book");
        Failure.Thrown broke =
                Failure.of(Failure.Category.BUSINESS_RULE, "sold out").asException();
        assertThat(engine.run(leased, call, (text, run) -> "first").isResult()).isTrue();
        assertThat(engine.run(atomic, call, (text, tx) -> "first").isResult()).isTrue();
        engine.run(leased, failing, (text, run) -> {
            throw broke;
        });
        away = true;
        try (Engine other = EngineSettings.on(withoutPermits())
                .withTime(time)
                .withoutBackground()
                .open()) {
            assertThat(other.run(leased, call, (text, run) -> "again"))
                    .isInstanceOfSatisfying(
                            Answer.Replayed.class,
                            replayed -> assertThat(replayed.result()).isEqualTo("first"));
            assertThat(other.run(atomic, call, (text, tx) -> "again")).isInstanceOf(Answer.Replayed.class);
            assertThat(other.run(leased, failing, (text, run) -> "again")).isInstanceOf(Answer.Failed.class);
            assertThat(other.run(leased, Call.of(ACME, Key.of("k"), "another book"), (text, run) -> "again"))
                    .isInstanceOf(Answer.Conflict.class);
            assertThatThrownBy(() -> other.run(leased, Call.of(ACME, Key.of("new"), "book"), (text, run) -> "again"))
                    .isInstanceOf(SemelException.StoreUnavailable.class);
        }
    }

    @Test
    void capacityOfMoreMessagesASecondThanARateLimitCanHaveIsServed() {
        Channel.Leased<String> mail = Channel.leased("mail", String.class);
        List<String> delivered = new ArrayList<>();
        engine.handle(
                mail, Channel.Capacity.of(4).withPerSecond(Integer.MAX_VALUE), (text, run) -> delivered.add(text));
        engine.send(mail, Message.of(ACME, Key.of("m"), "hello")).orThrow();
        engine.duties().worker().turn();
        assertThat(delivered).containsExactly("hello");
    }

    @Test
    void failureIsJudgedOnceForAnOperationWithoutABreaker() {
        int[] asked = new int[1];
        Operation.Leased<String, String> buy = Operation.leased("buy", String.class, String.class)
                .withPolicy(Policy.named("one")
                        .withStoredFailures(thrown -> ++asked[0] > 0)
                        .build());
        assertThat(engine.run(buy, Call.of(ACME, Key.of("k"), "book"), (text, run) -> {
                    throw Failure.of(Failure.Category.BUSINESS_RULE, "simulated")
                            .asException();
                }))
                .isInstanceOf(Answer.Failed.class);
        assertThat(asked[0]).isEqualTo(1);
    }
}
