package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.operator.Replays;
import dev.semel.store.State;
import dev.semel.store.Status;
import dev.semel.worker.ExternalClaims.ClaimTerms;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Messages that are handled outside this process: any node renews and ends them by record and fence. */
abstract class ExternalClaimSuite extends ExternalClaimFixture {
    private static final Tenant GLOBEX = Tenant.of("globex");

    ExternalClaimSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void finishedMessageIsDoneAndNotGrantedAgain() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        assertThat(message.key()).isEqualTo("m");
        assertThat(message.payload()).isEqualTo(new Note("lane", "m"));
        assertThat(message.lane()).isNull();
        assertThat(message.attempt()).isEqualTo(1);
        assertThat(message.correlationId()).isEqualTo("c-m");
        assertThat(message.downstreamKey()).isEqualTo(row(MAIL, "m").id().downstreamKey());
        assertThat(message.leaseUntil())
                .isEqualTo(Instant.ofEpochMilli(time.millis()).plus(TEN_SECONDS));
        assertThat(outside(MAIL, 10)).isEmpty();
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
        assertThat(outside(MAIL, 10)).isEmpty();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(row(MAIL, "m").status().attempt()).isEqualTo(1);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.executed");
    }

    @Test
    void finishIsTheSameSuccessTwice() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
        assertThat(claims.finish(MAIL, List.of(message.run(), message.run()))).containsOnly(RECORDED);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.executed");
        assertThat(fail(MAIL, message, Failure.Category.NETWORK)).isEqualTo(NOT_HELD);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void claimGrantsAsManyAsAskedForAndEachOnce() {
        for (int i = 0; i < 60; i++) {
            send(MAIL, "m" + i);
        }
        List<ExternalMessage<Note>> first = outside(MAIL, 45);
        List<ExternalMessage<Note>> second = outside(MAIL, 45);
        assertThat(first).hasSize(45);
        assertThat(second).hasSize(15);
        assertThat(first).extracting(ExternalMessage::key).doesNotContainAnyElementsOf(keys(second));
        assertThat(finishAll(MAIL, first)).hasSize(45).containsOnly(RECORDED);
    }

    @Test
    void claimWithLargePayloadsEndsBeforeItReadsManyOfThem() {
        String large = "x".repeat(700 << 10);
        for (int i = 0; i < 20; i++) {
            engine.send(MAIL, Message.of(ACME, Key.of("m" + i), new Note("lane", large)));
        }
        assertThat(outside(MAIL, 100)).hasSizeBetween(1, 8);
        assertThat(outside(MAIL, 100)).hasSizeBetween(1, 8);
    }

    @Test
    void anotherNodeRenewsAndFinishesAfterTheFirstHasStopped() {
        send(MAIL, "m");
        Engine first = otherNode();
        RunHandle run =
                first.externalClaims().claim(MAIL, ACME, terms(1)).get(0).run();
        stop(first);
        time.advance(Duration.ofSeconds(9));
        assertThat(claims.renew(MAIL, List.of(run), TEN_SECONDS))
                .containsExactly(Instant.ofEpochMilli(time.millis()).plus(TEN_SECONDS));
        time.advance(Duration.ofSeconds(9));
        assertThat(outside(MAIL, 1)).as("nobody else is granted it").isEmpty();
        assertThat(claims.finish(MAIL, List.of(run))).containsExactly(RECORDED);
    }

    @Test
    void messagesOfAnotherTenantOrChannelAreNeitherGrantedNorEnded() {
        send(MAIL, "m");
        assertThat(claims.claim(MAIL, GLOBEX, terms(10))).isEmpty();
        ExternalMessage<Note> message = one(MAIL);
        RunHandle foreign =
                new RunHandle(GLOBEX, message.run().record(), message.run().fence());
        assertThat(claims.finish(MAIL, List.of(foreign))).containsExactly(NOT_HELD);
        assertThat(claims.release(MAIL, List.of(foreign))).containsExactly(NOT_HELD);
        assertThat(claims.renew(MAIL, List.of(foreign), TEN_SECONDS)).containsExactly((Instant) null);
        assertThat(claims.fail(
                        MAIL, List.of(new MessageFailure(foreign, Failure.of(Failure.Category.NETWORK, "x"), null))))
                .containsExactly(NOT_HELD);
        assertThat(claims.finish(CHAT, List.of(message.run()))).containsExactly(NOT_HELD);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.IN_PROGRESS);
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
    }

    @Test
    void a2_staleFenceIsRejectedAfterATakeover() {
        send(MAIL, "m");
        ExternalMessage<Note> old = one(MAIL);
        time.advance(TEN_SECONDS);
        ExternalMessage<Note> next = one(MAIL);
        assertThat(next.run().fence()).isGreaterThan(old.run().fence());
        assertThat(claims.renew(MAIL, List.of(old.run()), TEN_SECONDS)).containsExactly((Instant) null);
        assertThat(finish(MAIL, old)).isEqualTo(NOT_HELD);
        assertThat(fail(MAIL, old, Failure.Category.VALIDATION)).isEqualTo(NOT_HELD);
        assertThat(release(MAIL, List.of(old))).containsExactly(NOT_HELD);
        assertThat(finish(MAIL, next)).isEqualTo(RECORDED);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.taken_over", "operation.executed");
    }

    @Test
    void ownerMayFinishLateWhileNobodyElseWasGrantedTheMessage() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        time.advance(TEN_SECONDS.multipliedBy(3));
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
    }

    @Test
    void a4_expiredLeaseOfUnrepeatableChannelIsUnknownUntilItsOwnerFinishesLate() {
        Channel.Leased<Note> once = MAIL.asUnrepeatable();
        send(once, "m");
        ExternalMessage<Note> message = one(once);
        time.advance(TEN_SECONDS);
        assertThat(outside(once, 1)).isEmpty();
        engine.duties().sweeper().sweep();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.UNKNOWN);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "operation.unknown");
        assertThat(finish(once, message)).isEqualTo(RECORDED);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    @Test
    void a4_uncertainFailureOfUnrepeatableChannelIsUnknownUnlessItsWorkerKnowsBetter() {
        Channel.Leased<Note> once = MAIL.asUnrepeatable();
        send(once, "m");
        send(once, "sure");
        List<ExternalMessage<Note>> both = outside(once, 10);
        assertThat(fail(once, both.get(0), Failure.Category.TIMEOUT)).isInstanceOf(MessageEnd.MessageUnknown.class);
        assertThat(fail(once, both.get(0), Failure.Category.TIMEOUT)).isInstanceOf(MessageEnd.MessageUnknown.class);
        assertThat(row(MAIL, both.get(0).key()).state()).isEqualTo(State.UNKNOWN);
        assertThat(fail(once, both.get(1), Failure.of(Failure.Category.TIMEOUT, "not sent"), true))
                .isInstanceOf(MessageEnd.MessageRetried.class);
    }

    @Test
    void failedAttemptIsGrantedAgainWhenThePolicySays() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        assertThat(fail(MAIL, message, Failure.Category.NETWORK))
                .isEqualTo(new MessageEnd.MessageRetried(Duration.ofSeconds(1), "simulated"));
        assertThat(fail(MAIL, message, Failure.Category.NETWORK))
                .as("repeated after a lost reply")
                .isEqualTo(new MessageEnd.MessageRetried(Duration.ofSeconds(1), "simulated"));
        assertThat(finish(MAIL, message)).isEqualTo(NOT_HELD);
        assertThat(outside(MAIL, 1)).isEmpty();
        time.advance(Duration.ofSeconds(1));
        ExternalMessage<Note> again = one(MAIL);
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.downstreamKey()).isEqualTo(message.downstreamKey());
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "retry.attempt");
    }

    @Test
    void d10_retryAfterIsAFloor() {
        send(MAIL, "m");
        Failure busy = Failure.of(Failure.Category.RATE_LIMITED, "busy").withRetryAfter(Duration.ofMinutes(2));
        assertThat(fail(MAIL, one(MAIL), busy, null))
                .isEqualTo(new MessageEnd.MessageRetried(Duration.ofMinutes(2), "busy"));
        time.advance(Duration.ofSeconds(119));
        assertThat(outside(MAIL, 1)).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(outside(MAIL, 1)).hasSize(1);
    }

    @Test
    void d3_messageWhoseAttemptsRunOutIsADeadLetterWithItsStory() {
        send(MAIL, "m");
        for (int attempt = 1; attempt <= 3; attempt++) {
            ExternalMessage<Note> message = one(MAIL);
            assertThat(message.attempt()).isEqualTo(attempt);
            MessageEnd end = fail(MAIL, message, Failure.Category.NETWORK);
            assertThat(end)
                    .isInstanceOf(attempt < 3 ? MessageEnd.MessageRetried.class : MessageEnd.FailedForGood.class);
            assertThat(fail(MAIL, message, Failure.Category.NETWORK)).hasSameClassAs(end);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(row(MAIL, "m").status().attempt()).isEqualTo(3);
        assertThat(story(MAIL, "m"))
                .containsExactly(
                        "operation.queued", "retry.attempt", "retry.attempt", "retry.exhausted", "system.error");
        assertThat(engine.operator().replay(row(MAIL, "m").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        ExternalMessage<Note> replayed = one(MAIL);
        assertThat(replayed.attempt()).isEqualTo(1);
        assertThat(finish(MAIL, replayed)).isEqualTo(RECORDED);
    }

    @Test
    void failureThatWouldBeTheSameAgainIsADeadLetterAtOnce() {
        send(MAIL, "m");
        assertThat(fail(MAIL, one(MAIL), Failure.Category.VALIDATION))
                .isEqualTo(new MessageEnd.FailedForGood("simulated"));
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "system.error");
        send(MAIL, "refused");
        assertThat(fail(MAIL, one(MAIL), Failure.of(Failure.Category.NETWORK, "never"), false))
                .isEqualTo(new MessageEnd.FailedForGood("never"));
    }

    @Test
    void d14_deathRunsItsOnDeadHandlerWithItsDeadLetterOnce() throws Exception {
        assumeThat(store.transactions().isPresent()).isTrue();
        engine.onDead(
                MAIL,
                (death, tx) ->
                        effects.apply(tx, "fallback of " + death.record().key().text()));
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        assertThat(fail(MAIL, message, Failure.Category.VALIDATION))
                .isEqualTo(new MessageEnd.FailedForGood("simulated"));
        assertThat(fail(MAIL, message, Failure.Category.VALIDATION))
                .isEqualTo(new MessageEnd.FailedForGood("simulated"));
        assertThat(outside(MAIL, 10)).as("it is not handled any more").isEmpty();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(effects.count("fallback of m")).isEqualTo(1);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued", "system.error");
    }

    @Test
    void channelWithoutDeadLettersLeavesOnlyTheEventOfADeath() {
        Policy none = Policy.named("none")
                .withMaxAttempts(1)
                .withDeadLetters(false)
                .withAttemptTimeout(Duration.ofMinutes(1))
                .build();
        Channel.Leased<Note> channel = MAIL.withPolicy(none);
        send(channel, "m");
        ExternalMessage<Note> message = one(channel);
        assertThat(fail(channel, message, Failure.Category.NETWORK)).isInstanceOf(MessageEnd.FailedForGood.class);
        assertThat(row(MAIL.operation(), "m")).isNull();
        assertThat(fail(channel, message, Failure.Category.NETWORK)).isEqualTo(NOT_HELD);
    }

    @Test
    void deadlineThatPassedIsADeadLetterAndNotGranted() {
        Instant soon = Instant.ofEpochMilli(time.millis()).plusSeconds(5);
        engine.send(MAIL, note("late", "x").withDeadline(soon));
        engine.send(MAIL, note("in time", "x").withDeadline(soon.plusSeconds(60)));
        time.advance(Duration.ofSeconds(6));
        assertThat(keys(outside(MAIL, 10))).containsExactly("in time");
        assertThat(row(MAIL, "late").state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(row(MAIL, "late").status().attempt()).isZero();
    }

    @Test
    void d9_haltedChannelGrantsNothingButTakesTheEndOfItsMessages() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        send(MAIL, "other");
        switchTo(MAIL, Mode.HALTED);
        assertThat(outside(MAIL, 10)).isEmpty();
        assertThat(claims.renew(MAIL, List.of(message.run()), TEN_SECONDS)).doesNotContainNull();
        assertThat(finish(MAIL, message)).isEqualTo(RECORDED);
        assertThat(row(MAIL, "other").state()).isEqualTo(State.QUEUED);
        switchTo(MAIL, Mode.LIVE);
        time.advance(Duration.ofSeconds(2));
        assertThat(keys(outside(MAIL, 10))).containsExactly("other");
    }

    @Test
    void d9_claimThatRacesAHaltGrantsNothing() {
        send(MAIL, "m");
        Engine slow = pausedAfterItsClaim(time, () -> switchTo(MAIL, Mode.HALTED));
        time.advance(Duration.ofSeconds(2));
        List<ExternalMessage<Note>> granted = slow.externalClaims().claim(MAIL, ACME, terms(10, "c-1"));
        // Granted just before the halt, or handed back because of it; never both.
        assertThat(row(MAIL, "m").state()).isEqualTo(granted.isEmpty() ? State.QUEUED : State.IN_PROGRESS);
        time.advance(Duration.ofSeconds(2));
        assertThat(slow.externalClaims().claim(MAIL, ACME, terms(10, "c-1")))
                .as("repeated once the node has read the modes again")
                .isEmpty();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        assertThat(row(MAIL, "m").status().attempt()).isZero();
    }

    @Test
    void messagesInShadowAreRecordedAndNotGranted() {
        sendAll(CHAT, "x", "x1", "x2", "x3");
        switchTo(CHAT, Mode.SHADOW);
        assertThat(outside(CHAT, 10)).isEmpty();
        for (String key : List.of("x1", "x2", "x3")) {
            assertThat(row(CHAT, key).state()).isEqualTo(State.SHADOWED);
        }
    }

    @Test
    void pausedChannelGrantsNothingUntilItIsResumed() {
        send(MAIL, "m");
        engine.operator().pause(MAIL.name(), null, WARRANT);
        assertThat(outside(MAIL, 1)).isEmpty();
        engine.operator().resume(MAIL.name(), null, WARRANT);
        engine.operator().pause(MAIL.name(), ACME.name(), WARRANT);
        time.advance(Duration.ofSeconds(2));
        assertThat(outside(MAIL, 1)).isEmpty();
        engine.operator().resume(MAIL.name(), ACME.name(), WARRANT);
        time.advance(Duration.ofSeconds(2));
        assertThat(outside(MAIL, 1)).hasSize(1);
    }

    @Test
    void d10_rejectedCredentialsPauseTheChannelForTheTenantUntilAProbeIsHandled() {
        send(MAIL, "m");
        send(MAIL, "n");
        engine.send(MAIL, Message.of(GLOBEX, Key.of("g"), new Note("lane", "g")));
        ExternalMessage<Note> message = one(MAIL);
        assertThat(fail(MAIL, message, Failure.Category.AUTH)).isEqualTo(HANDED_BACK);
        assertThat(row(MAIL, message.key()).status().attempt()).isZero();
        assertThat(outside(MAIL, 10)).isEmpty();
        assertThat(claims.claim(MAIL, GLOBEX, terms(10)))
                .as("other tenants go on")
                .hasSize(1);
        time.advance(Duration.ofMinutes(4));
        ExternalMessage<Note> probe = outside(MAIL, 10).get(0);
        assertThat(outside(MAIL, 10)).as("one message is let through").isEmpty();
        Engine other = otherNode();
        assertThat(other.externalClaims().finish(MAIL, List.of(probe.run()))).containsExactly(RECORDED);
        time.advance(Duration.ofSeconds(2));
        assertThat(outside(MAIL, 10)).as("resumed, on whichever node it ended").hasSize(1);
    }

    @Test
    void d10_handlerOfAProcessProbesWhatAClientOutsidePausedForItsTenant() {
        sendAll(MAIL, "lane", "m", "n");
        fail(MAIL, one(MAIL), Failure.Category.AUTH);
        boolean[] rejected = {true};
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            if (rejected[0]) {
                throw failing(Failure.Category.AUTH);
            }
        });
        work();
        assertThat(handled).isEmpty();
        time.advance(Duration.ofMinutes(4));
        work();
        assertThat(handled).as("a probe, which is rejected").hasSize(1);
        engine.send(MAIL, Message.of(GLOBEX, Key.of("g"), new Note("lane", "globex")));
        rejected[0] = false;
        work();
        assertThat(handled).as("other tenants go on").endsWith("globex").hasSize(2);
        time.advance(Duration.ofMinutes(4));
        work();
        time.advance(Duration.ofSeconds(2));
        work();
        assertThat(handled).hasSize(4);
        assertThat(store.switchboard().modes().pauses()).isEmpty();
    }

    @Test
    void handedBackMessageIsGrantedAgainWithoutHavingSpentAnAttempt() {
        send(MAIL, "m");
        ExternalMessage<Note> message = one(MAIL);
        assertThat(release(MAIL, List.of(message))).containsExactly(HANDED_BACK);
        assertThat(release(MAIL, List.of(message))).containsExactly(HANDED_BACK);
        assertThat(finish(MAIL, message)).isEqualTo(NOT_HELD);
        assertThat(one(MAIL).attempt()).isEqualTo(1);
        assertThat(story(MAIL, "m")).containsExactly("operation.queued");
    }

    @Test
    void d3_messageThatKillsItsWorkersIsRunAsOftenAsItsPolicySaysAndOnceMore() {
        send(MAIL, "poison");
        List<Integer> attempts = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            outside(MAIL, 1).forEach(message -> attempts.add(message.attempt()));
            time.advance(TEN_SECONDS.plusSeconds(1));
            engine.duties().sweeper().sweep();
        }
        assertThat(attempts).containsExactly(1, 1, 2, 3);
        assertThat(row(MAIL, "poison").state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void attemptOfASuspectIsCountedOnceWhateverBecomesOfIt() {
        for (String end : List.of("finish", "fail", "release")) {
            send(MAIL, end);
            one(MAIL);
            time.advance(TEN_SECONDS);
            ExternalMessage<Note> taken = one(MAIL);
            assertThat(taken.attempt()).isEqualTo(1);
            assertThat(row(MAIL, end).status().attempt())
                    .as("counted before it begins")
                    .isEqualTo(1);
            switch (end) {
                case "finish" -> assertThat(finish(MAIL, taken)).isEqualTo(RECORDED);
                case "fail" -> fail(MAIL, taken, Failure.Category.NETWORK);
                default -> release(MAIL, List.of(taken));
            }
            assertThat(row(MAIL, end).status().attempt()).as(end).isEqualTo(end.equals("release") ? 0 : 1);
            time.advance(Duration.ofMinutes(1));
            List<ExternalMessage<Note>> again = outside(MAIL, 10);
            assertThat(again).hasSize(end.equals("finish") ? 0 : 1);
            assertThat(again).extracting(ExternalMessage::attempt).allMatch(n -> n == (end.equals("fail") ? 2 : 1));
            finishAll(MAIL, again);
        }
    }

    @Test
    void d12_messagesOfAKilledWorkerComeBackOneSuspectAtATime() {
        sendAll(MAIL, "lane", "m1", "m2", "m3");
        assertThat(outside(MAIL, 10)).hasSize(3);
        time.advance(TEN_SECONDS);
        sendAll(MAIL, "lane", "fresh");
        List<String> handled = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<ExternalMessage<Note>> granted = outside(MAIL, 10);
            assertThat(granted.stream().filter(each -> !each.key().equals("fresh")))
                    .hasSizeLessThanOrEqualTo(1);
            handled.addAll(keys(granted));
            assertThat(finishAll(MAIL, granted)).allMatch(RECORDED::equals);
        }
        assertThat(handled).containsExactlyInAnyOrder("m1", "m2", "m3", "fresh");
    }

    @Test
    void handlerOfThisProcessAndWorkersOutsideNeverHaveTheSameMessage() {
        engine.handle(MAIL, listing());
        sendAll(MAIL, "lane", "m1", "m2", "m3", "m4");
        List<ExternalMessage<Note>> granted = outside(MAIL, 2);
        work();
        assertThat(handled).hasSize(2).doesNotContainAnyElementsOf(keys(granted));
        assertThat(finishAll(MAIL, granted)).containsOnly(RECORDED);
        for (String key : List.of("m1", "m2", "m3", "m4")) {
            assertThat(story(MAIL, key)).containsExactly("operation.queued", "operation.executed");
        }
    }

    @Test
    void handlerOfThisProcessTakesOverWhatAWorkerOutsideLeft() {
        send(MAIL, "m");
        one(MAIL);
        engine.handle(MAIL, listing());
        work();
        assertThat(handled).isEmpty();
        time.advance(TEN_SECONDS);
        work();
        assertThat(handled).containsExactly("m");
    }

    @Test
    void unreadablePayloadIsHandedBackAndStopsNobody() {
        Channel.Leased<Integer> other =
                Channel.leased(MAIL.name(), Integer.class).withPolicy("steady");
        engine.send(other, Message.of(ACME, Key.of("bad"), 7));
        send(MAIL, "good");
        assertThat(keys(outside(MAIL, 10))).containsExactly("good");
        assertThat(row(MAIL, "bad").state()).isEqualTo(State.QUEUED);
        assertThat(row(MAIL, "bad").status().at()).isBetween(time.millis(), Status.NEVER - 1);
    }

    @Test
    void a1_concurrentClaimsGrantEachMessageOnce() throws Exception {
        for (int i = 0; i < 40; i++) {
            send(MAIL, "m" + i);
        }
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<List<ExternalMessage<Note>>>> all = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                all.add(threads.submit(() -> outside(MAIL, 5)));
            }
            List<String> keys = new ArrayList<>();
            for (Future<List<ExternalMessage<Note>>> each : all) {
                keys.addAll(keys(each.get()));
            }
            keys.addAll(keys(outside(MAIL, 40)));
            assertThat(keys).hasSize(40).doesNotHaveDuplicates();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void drainedNodeGrantsNothing() {
        send(MAIL, "m");
        engine.drain(Duration.ZERO);
        assertThat(claims.claim(MAIL, ACME, new ClaimTerms(1, TEN_SECONDS, Duration.ofHours(1), null)))
                .isEmpty();
        engine.resume();
        assertThat(outside(MAIL, 1)).hasSize(1);
    }
}
