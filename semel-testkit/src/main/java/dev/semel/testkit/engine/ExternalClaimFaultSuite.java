package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import dev.semel.worker.ExternalClaims;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Store calls fail or lose their replies while messages are handled outside: whoever repeats its request gets the same. */
abstract class ExternalClaimFaultSuite extends ExternalClaimFixture {
    ExternalClaimFaultSuite(EngineContract contract) {
        super(contract);
    }

    /** A node whose n-th store call of a kind goes wrong. */
    private ExternalClaims faulty(int n, StoreCall call, Faults.Fault fault) {
        Engine node = start(new FaultyStore(reopened(), Faults.nth(n, call, fault)), settings -> settings);
        return node.externalClaims();
    }

    /** Repeats a request until it is answered, as clients do. */
    private static <T> T repeated(Supplier<T> request) {
        for (int i = 0; i < 5; i++) {
            try {
                return request.get();
            } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                // Repeated as it is.
            }
        }
        return request.get();
    }

    @Test
    void c1_claimThatIsRepeatedUnderItsOwnIdIsGivenTheSameGrants() {
        sendAll(MAIL, "lane", "m1", "m2", "m3", "m4");
        List<ExternalMessage<Note>> first = claims.claim(MAIL, ACME, terms(3, "c-1"));
        assertThat(first).hasSize(3);
        assertThat(otherNode().externalClaims().claim(MAIL, ACME, terms(3, "c-1")))
                .containsExactlyInAnyOrderElementsOf(first);
        assertThat(claims.claim(MAIL, ACME, terms(3, "c-2"))).hasSize(1).doesNotContainAnyElementsOf(first);
        assertThat(finish(MAIL, first.get(0))).isEqualTo(RECORDED);
        assertThat(claims.claim(MAIL, ACME, terms(3, "c-1")))
                .as("those that are still held")
                .containsExactlyInAnyOrderElementsOf(first.subList(1, 3));
    }

    @Test
    void c1_repeatedClaimHasLargePayloadsToo() {
        Note large = new Note("lane", "x".repeat(100_000));
        engine.send(MAIL, Message.of(ACME, Key.of("large"), large)).orThrow();
        List<ExternalMessage<Note>> first = claims.claim(MAIL, ACME, terms(3, "c-1"));
        assertThat(first).extracting(ExternalMessage::payload).containsExactly(large);
        assertThat(otherNode().externalClaims().claim(MAIL, ACME, terms(3, "c-1")))
                .containsExactlyElementsOf(first);
    }

    @Test
    void c1_leaseOfARepeatedClaimLastsAsLongAsItsAnswerSays() {
        send(MAIL, "m");
        claims.claim(MAIL, ACME, terms(1, "c-1"));
        time.advance(TEN_SECONDS.minusSeconds(1));
        ExternalMessage<Note> again = claims.claim(MAIL, ACME, terms(1, "c-1")).get(0);
        time.advance(TEN_SECONDS.minusSeconds(1));
        assertThat(outside(MAIL, 1)).as("nobody else is granted it").isEmpty();
        assertThat(finish(MAIL, again)).isEqualTo(RECORDED);
    }

    @Test
    void c1_idOfAnotherTenantsClaimShowsNothingOfIt() {
        send(MAIL, "m");
        claims.claim(MAIL, ACME, terms(1, "c-1"));
        assertThat(claims.claim(MAIL, Tenant.of("globex"), terms(1, "c-1"))).isEmpty();
    }

    @Test
    void c1_attemptOfASuspectIsCountedAlsoByAClaimWhoseReplyWasLost() {
        for (Channel.Leased<Note> channel : List.of(MAIL, CHAT)) {
            sendAll(channel, "lane", "m1", "m2");
            assertThat(outside(channel, 2)).hasSize(2);
            time.advance(TEN_SECONDS);
            sendAll(channel, "lane", "fresh");
            ExternalClaims losing = faulty(1, StoreCall.CLAIM, Faults.Fault.LOSE_REPLY);
            String id = "lost " + channel.name();
            assertThatThrownBy(() -> losing.claim(channel, ACME, terms(2, id)))
                    .isInstanceOf(SemelException.OutcomeUnknown.class);
            List<ExternalMessage<Note>> granted = claims.claim(channel, ACME, terms(2, id));
            assertThat(granted)
                    .extracting(ExternalMessage::attempt)
                    .isNotEmpty()
                    .containsOnly(1);
            for (ExternalMessage<Note> message : granted) {
                assertThat(row(channel, message.key()).status().attempt())
                        .as(
                                "%s/%s: a suspect is counted before it begins, and nothing else",
                                channel.name(), message.key())
                        .isEqualTo(message.key().equals("fresh") ? 0 : 1);
            }
            assertThat(granted)
                    .as("with a suspect")
                    .anyMatch(message -> !message.key().equals("fresh"));
            assertThat(claims.claim(channel, ACME, terms(2, id)))
                    .as("counted once")
                    .containsExactlyInAnyOrderElementsOf(granted);
            assertThat(finishAll(channel, granted)).containsOnly(RECORDED);
            granted.forEach(message ->
                    assertThat(row(channel, message.key()).status().attempt()).isEqualTo(1));
        }
    }

    @Test
    void c1_everyStoreCallOfAClaimMayFailOrLoseItsReply() {
        int run = 0;
        for (StoreCall call : List.of(
                StoreCall.CLAIM, StoreCall.HELD_BY, StoreCall.MODES, StoreCall.MOVE, StoreCall.RENEW, StoreCall.FIND)) {
            // The first reading of the modes is that of the start.
            int first = call == StoreCall.MODES ? 2 : 1;
            for (Faults.Fault fault : Faults.Fault.values()) {
                for (int n = first; n < first + 3; n++) {
                    run++;
                    everyMessageIsHandledOnce("r" + run, faulty(n, call, fault));
                }
            }
        }
    }

    /** A suspect and two fresh messages of a lane, each claimed, failed once, renewed and finished through one node. */
    private void everyMessageIsHandledOnce(String prefix, ExternalClaims node) {
        Channel.Leased<Note> channel = CHAT;
        sendAll(channel, prefix, prefix + "a", prefix + "b");
        assertThat(outside(channel, 10)).hasSize(2);
        time.advance(TEN_SECONDS);
        List<String> done = new ArrayList<>();
        boolean failed = false;
        for (int i = 0; i < 12 && done.size() < 2; i++) {
            String id = prefix + i;
            for (ExternalMessage<Note> message : repeated(() -> node.claim(channel, ACME, terms(10, id)))) {
                assertThat(repeated(() -> node.renew(channel, List.of(message.run()), TEN_SECONDS)))
                        .doesNotContainNull();
                if (!failed) {
                    failed = true;
                    Failure down = Failure.of(Failure.Category.NETWORK, "down");
                    assertThat(repeated(
                                    () -> node.fail(channel, List.of(new MessageFailure(message.run(), down, null)))))
                            .hasOnlyElementsOfType(MessageEnd.MessageRetried.class);
                    break;
                }
                assertThat(repeated(() -> node.finish(channel, List.of(message.run()))))
                        .containsExactly(RECORDED);
                done.add(message.key());
            }
            time.advance(TEN_SECONDS);
        }
        assertThat(done).containsExactly(prefix + "a", prefix + "b");
        assertThat(row(channel, prefix + "a").status().attempt()).isEqualTo(2);
        assertThat(story(channel, prefix + "a"))
                .filteredOn(type -> !type.equals("operation.taken_over"))
                .containsExactly("operation.queued", "retry.attempt", "operation.executed");
    }

    @Test
    void lockedRecordIsReportedForItselfAndTheOthersAreEnded() {
        sendAll(MAIL, "lane", "m1", "m2");
        List<ExternalMessage<Note>> both = outside(MAIL, 10);
        Engine blocked = start(locking(Set.of(row(MAIL, "m1").id())), settings -> settings);
        List<MessageEnd> ends = blocked.externalClaims().finish(MAIL, runs(both));
        for (int i = 0; i < 2; i++) {
            boolean locked = both.get(i).key().equals("m1");
            assertThat(ends.get(i)).isEqualTo(locked ? new MessageEnd.MessageLocked() : RECORDED);
        }
        assertThat(finishAll(MAIL, both)).containsOnly(RECORDED);
    }

    @Test
    void crashBetweenAClaimAndItsAnswerLosesNothing() {
        send(MAIL, "m");
        Engine dying = pausedAfterItsClaim(time, () -> {
            throw new SemelException.OutcomeUnknown("The node died.", new SocketException("simulated"));
        });
        try {
            dying.externalClaims().claim(MAIL, ACME, terms(1, "c-1"));
        } catch (SemelException.OutcomeUnknown e) {
            assertThat(row(MAIL, "m").state()).isEqualTo(State.IN_PROGRESS);
        }
        ExternalMessage<Note> found = claims.claim(MAIL, ACME, terms(1, "c-1")).get(0);
        assertThat(found.attempt()).isEqualTo(1);
        assertThat(finish(MAIL, found)).isEqualTo(RECORDED);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.executed");
    }
}
