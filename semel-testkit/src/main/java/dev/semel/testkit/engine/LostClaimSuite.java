package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Claims that the store commits and whose answers never come back. */
abstract class LostClaimSuite extends ChannelFixture {
    LostClaimSuite(EngineContract contract) {
        super(contract);
    }

    /** The answer to its first claim that grants something is lost. */
    private Engine losing() {
        return pausedAfterItsClaim(time, LostClaimSuite::lose);
    }

    private static void lose() {
        throw new SemelException.OutcomeUnknown("The answer was lost.", new java.net.SocketException("simulated"));
    }

    private static void loses(Engine node) {
        assertThatThrownBy(() -> node.duties().worker().turn()).isInstanceOf(SemelException.OutcomeUnknown.class);
    }

    @Test
    void c1_grantsOfALostClaimAreHandledUnderTheirFenceBeforeTheLeaseExpires() {
        for (Channel<Note> channel : List.of(MAIL, POST, CHAT, BOOK, MAIL.asUnrepeatable())) {
            String key = channel.name() + handled.size();
            Engine node = losing();
            node.handle(MAIL.name().equals(channel.name()) ? (Channel.Leased<Note>) channel : MAIL, listing());
            node.handle(CHAT, listing());
            node.handle(POST, (note, tx) -> handled.add(note.text()));
            node.handle(BOOK, (note, tx) -> handled.add(note.text()));
            send(channel, key);
            loses(node);
            Row claimed = row(channel, key);
            assertThat(claimed.state()).isEqualTo(State.IN_PROGRESS);
            work(node);
            assertThat(handled).endsWith(key).doesNotHaveDuplicates();
            assertThat(row(channel, key).state()).isEqualTo(State.COMPLETED);
            assertThat(row(channel, key).status().fence())
                    .isEqualTo(claimed.status().fence());
            assertThat(row(channel, key).status().attempt()).isEqualTo(1);
            assertThat(story(channel, key)).containsExactly("operation.queued", "operation.executed");
        }
        assertThat(handled).hasSize(5);
    }

    @Test
    void d7_lostRunIsHandledInOrderAndBeforeLaterMessages() {
        for (Channel<Note> channel : List.of(CHAT, BOOK)) {
            Engine node = losing();
            node.handle(CHAT, listing());
            node.handle(BOOK, (note, tx) -> handled.add(note.text()));
            for (String key : List.of("x1", "y1", "x2", "x3", "y2")) {
                send(channel, key, key.substring(0, 1));
            }
            loses(node);
            send(channel, "x4", "x");
            work(node);
            assertThat(handled.stream().filter(key -> key.startsWith("x"))).containsExactly("x1", "x2", "x3", "x4");
            assertThat(handled.stream().filter(key -> key.startsWith("y"))).containsExactly("y1", "y2");
            handled.clear();
        }
    }

    @Test
    void c1_lookWhoseAnswerIsLostTooIsMadeAgain() {
        Store losing = pausingAfterItsClaim(LostClaimSuite::lose);
        Engine node = start(
                new FaultyStore(losing, Faults.nth(1, StoreCall.HELD_BY, Faults.Fault.LOSE_REPLY)),
                settings -> settings);
        node.handle(MAIL, listing());
        send(MAIL, "m");
        loses(node);
        loses(node);
        assertThat(handled).isEmpty();
        work(node);
        assertThat(handled).containsExactly("m");
        assertThat(row(MAIL, "m").status().attempt()).isEqualTo(1);
    }

    @Test
    void d12_messageTakenOverByAnotherNodeIsLeftToIt() {
        Engine other = otherNode();
        other.handle(MAIL, (note, run) -> handled.add("other's " + note.text()));
        Engine slow = pausedAfterItsClaim(new ManualTime(time.millis()), LostClaimSuite::lose);
        slow.handle(MAIL, listing());
        send(MAIL, "m");
        loses(slow);
        time.advance(LEASE.plusSeconds(1));
        work(other);
        work(slow);
        assertThat(handled).containsExactly("other's m");
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void d12_nodeThatDiesBeforeItHasLookedIsTakenOverWhenItsLeaseIsOver() {
        Engine dying = losing();
        dying.handle(MAIL, listing());
        send(MAIL, "m");
        loses(dying);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).isEmpty();
        time.advance(LEASE.plusSeconds(1));
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void d7_endOfALostRunIsNotHandledBeforeItsHeadThatAnotherHasTakenOver() {
        Engine slow = pausedAfterItsClaim(new ManualTime(time.millis()), LostClaimSuite::lose);
        slow.handle(CHAT, listing());
        for (String key : List.of("x1", "x2", "x3")) {
            send(CHAT, key, "x");
        }
        loses(slow);
        time.advance(LEASE.plusSeconds(1));
        assertThat(claim(CHAT, 2)).hasSize(2);
        work(slow);
        assertThat(handled).isEmpty();
        assertThat(row(CHAT, "x3").state()).isEqualTo(State.QUEUED);
        assertThat(row(CHAT, "x3").status().attempt()).isZero();
        time.advance(LEASE.plusSeconds(1));
        work(slow);
        assertThat(handled).containsExactly("x1", "x2", "x3");
    }

    @Test
    void c1_messageFoundTooLateToStartIsHandedBack() {
        Channel.Leased<Note> parking = MAIL.asUnrepeatable();
        Engine node = losing();
        node.handle(parking, (note, run) -> handled.add(note.text() + run.attempt()));
        send(parking, "m");
        loses(node);
        long fence = row(parking, "m").status().fence();
        time.advance(LEASE.multipliedBy(9).dividedBy(10));
        work(node);
        assertThat(handled).containsExactly("m1");
        assertThat(row(parking, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(row(parking, "m").status().fence()).isGreaterThan(fence);
    }

    @Test
    void d12_restOfAPartlyReportedClaimIsHandledAndNothingTwice() {
        Engine node = start(
                claiming((queue, claim) -> {
                    Claimed all = queue.claim(claim);
                    return all.rows().size() < 3
                            ? all
                            : new Claimed(all.rows().subList(0, 1), true, all.last(), false, true);
                }),
                settings -> settings);
        node.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            // The first is still being handled when the rest is looked for.
            node.duties().worker().turn();
        });
        for (String key : List.of("m1", "m2", "m3")) {
            send(MAIL, key);
        }
        work(node);
        assertThat(handled).containsExactlyInAnyOrder("m1", "m2", "m3");
        for (String key : List.of("m1", "m2", "m3")) {
            assertThat(story(MAIL, key)).containsExactly("operation.queued", "operation.executed");
        }
    }

    @Test
    void c1_claimThatIsCommittedOnlyAfterItWasLookedForIsFoundLater() {
        List<Runnable> onTheirWay = new ArrayList<>();
        Engine node = start(
                claiming((queue, claim) -> {
                    if (onTheirWay.isEmpty() && claim.operation().equals(MAIL.name())) {
                        onTheirWay.add(() -> queue.claim(claim));
                        lose();
                    }
                    return claim.operation().equals(MAIL.name())
                            ? new Claimed(List.of(), false, claim.turns().after(), false)
                            : queue.claim(claim);
                }),
                settings -> settings);
        node.handle(MAIL, listing());
        send(MAIL, "m");
        loses(node);
        work(node);
        onTheirWay.forEach(Runnable::run);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.IN_PROGRESS);
        time.advance(Duration.ofSeconds(1));
        work(node);
        assertThat(handled).containsExactly("m");
    }

    @FunctionalInterface
    private interface Claims {
        Claimed claim(Queue queue, Claim claim);
    }

    private Store claiming(Claims claims) {
        return new ForwardingStore(reopened()) {
            @Override
            public Optional<Queue> queue() {
                return super.queue().map(each -> new ForwardingQueue(each) {
                    @Override
                    public Claimed claim(Claim claim) {
                        return claims.claim(delegate(), claim);
                    }
                });
            }
        };
    }
}
