package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Death;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.store.Ledger;
import dev.semel.store.Renewal;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is done when something dies is committed with its dead letter, once for each death. */
abstract class OnDeadSuite extends OnDeadFixture {
    private static final Warrant WARRANT = new Warrant("ann", "mended");

    OnDeadSuite(EngineContract contract) {
        super(contract);
    }

    private void replay(Channel<Note> channel, String key) {
        assertThat(engine.operator().replay(row(channel, key).id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
    }

    @Test
    void leasedMessageThatDiesHasItsFallbackOnce() throws Exception {
        engine.onDead(MAIL, fallback());
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        assertDied(MAIL, "m", 1);
        assertThat(handled).containsExactly("m");
        assertThat(deaths).singleElement().satisfies(death -> {
            assertThat(death.payload()).contains(new Note("lane", "m"));
            assertThat(death.failure().category()).isEqualTo(Failure.Category.VALIDATION);
            assertThat(death.attempts()).isEqualTo(1);
            assertThat(death.tenant()).isEqualTo(ACME);
            assertThat(death.correlationId()).isEqualTo("c-m");
            assertThat(death.record().operation()).isEqualTo("mail");
            assertThat(death.record().id()).isEqualTo(row(MAIL, "m").id().hex());
        });
        assertThat(row(MAIL, "m").status().attempts()).isEqualTo(1);
    }

    @Test
    void atomicMessageThatDiesHasItsFallbackAndNotItsEffect() throws Exception {
        engine.onDead(POST, fallback());
        engine.handle(POST, dyingAtomically());
        IntStream.range(0, 5).forEach(i -> send(POST, "m" + i));
        work();
        for (int i = 0; i < 5; i++) {
            assertDied(POST, "m" + i, 1);
            assertThat(effects.count("effect of m" + i)).isZero();
        }
    }

    @Test
    void messageWhoseAttemptsRanOutTellsSoAndDiesWithAllOfThem() throws Exception {
        engine.onDead(MAIL, fallback());
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            throw failing(Failure.Category.NETWORK);
        });
        send(MAIL, "m");
        workThrough(Duration.ofSeconds(3), 4);
        assertDied(MAIL, "m", 1);
        assertThat(handled).hasSize(3);
        assertThat(deaths.get(0).attempts()).isEqualTo(3);
        assertThat(story(MAIL, "m")).endsWith("retry.exhausted", "system.error");
        assertThat(row(MAIL, "m").status().attempts()).isEqualTo(3);
    }

    @Test
    void messageThatIsReplayedAndDiesAgainHasASecondFallbackUnderAnotherKey() throws Exception {
        engine.onDead(MAIL, fallback());
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        assertDied(MAIL, "m", 1);
        replay(MAIL, "m");
        work();
        assertDied(MAIL, "m", 2);
        assertThat(handled).containsExactly("m", "m");
        assertThat(deaths.get(0).id()).isNotEqualTo(deaths.get(1).id());
    }

    @Test
    void replayedMessageThatSucceedsHasNoOtherFallback() throws Exception {
        boolean[] fails = {true};
        engine.onDead(POST, fallback());
        engine.handle(POST, (note, tx) -> {
            if (fails[0]) {
                throw failing(Failure.Category.VALIDATION);
            }
        });
        send(POST, "m");
        assertDied(POST, "m", 1);
        fails[0] = false;
        replay(POST, "m");
        work();
        assertThat(row(POST, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(fallbacks("m")).isEqualTo(1);
    }

    @Test
    void fallbackThatThrowsKeepsTheDeadLetterBackAndIsTriedAgainWithoutTheHandler() throws Exception {
        int[] failures = {3};
        engine.onDead(MAIL, (death, tx) -> {
            fallback().died(death, tx);
            if (failures[0]-- > 0) {
                throw new IllegalStateException("no room for reviews");
            }
        });
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        work();
        assertNotDead(MAIL, "m", State.QUEUED);
        assertThat(engine.operator().explain(row(MAIL, "m")).sentence())
                .contains("validation: simulated validation")
                .contains("onDead handler failed (1 try, last: java.lang.IllegalStateException)")
                .contains("tried again in 1 s");
        for (Duration pause : List.of(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4))) {
            time.advance(pause.minusMillis(1));
            work();
            assertNotDead(MAIL, "m", State.QUEUED);
            time.advance(Duration.ofMillis(1));
            work();
        }
        assertDied(MAIL, "m", 1);
        assertThat(handled).as("its own handler is not run again").containsExactly("m");
        assertThat(deaths.stream().map(Death::id).distinct()).as("one death").hasSize(1);
        assertThat(deaths).allSatisfy(death -> assertThat(death.attempts()).isEqualTo(1));
        assertThat(row(MAIL, "m").status().attempts()).isEqualTo(1);
    }

    @Test
    void pausesOfAFallbackThatKeepsFailingEndAtAQuarterOfAnHour() throws Exception {
        engine.onDead(MAIL, (death, tx) -> {
            deaths.add(death);
            throw new IllegalStateException("never");
        });
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        workThrough(Duration.ofMinutes(15), 20);
        assertThat(deaths).hasSize(21);
        assertNotDead(MAIL, "m", State.QUEUED);
        assertThat(row(MAIL, "m").status().at() - time.millis())
                .isEqualTo(Duration.ofMinutes(15).toMillis());
    }

    @Test
    void fallbackWhoseSendConflictsKeepsTheDeadLetterBack() throws Exception {
        boolean[] conflicts = {true};
        engine.onDead(POST, (death, tx) -> {
            effects.apply(tx, "fallback of m");
            tx.send(REVIEW, Key.of("taken"), conflicts[0] ? "another text" : "m");
        });
        engine.send(REVIEW, Message.of(ACME, Key.of("taken"), "m")).orThrow();
        engine.handle(POST, dyingAtomically());
        send(POST, "m");
        work();
        assertNotDead(POST, "m", State.QUEUED);
        assertThat(engine.operator().explain(row(POST, "m")).sentence()).contains("another payload");
        conflicts[0] = false;
        time.advance(Duration.ofSeconds(1));
        work();
        assertDied(POST, "m", 1);
    }

    @Test
    void dyingMessageCanBeDiscardedAndReplayedAndIsRunAgainThen() throws Exception {
        boolean[] fails = {true};
        engine.onDead(MAIL, (death, tx) -> {
            throw new IllegalStateException("never");
        });
        engine.handle(MAIL, (note, run) -> {
            handled.add(note.text());
            if (fails[0]) {
                throw failing(Failure.Category.VALIDATION);
            }
        });
        send(MAIL, "m");
        work();
        assertThat(engine.operator().discard(row(MAIL, "m").id(), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
        workThrough(Duration.ofMinutes(1), 3);
        assertThat(row(MAIL, "m").state()).isEqualTo(State.DISCARDED);
        fails[0] = false;
        replay(MAIL, "m");
        work();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
        assertThat(handled).containsExactly("m", "m");
    }

    @Test
    void dyingHeadKeepsItsPlaceAndTheLaneContinuesBehindItsDeath() throws Exception {
        List<String> order = new ArrayList<>();
        int[] failures = {2};
        engine.onDead(CHAT, (death, tx) -> {
            if (failures[0]-- > 0) {
                throw new IllegalStateException("later");
            }
            order.add("death of " + death.record().key().text());
        });
        engine.handle(CHAT, (note, run) -> {
            order.add(note.text());
            if (note.text().equals("x1")) {
                throw failing(Failure.Category.VALIDATION);
            }
        });
        List.of("x1", "x2", "x3").forEach(key -> send(CHAT, key, "x"));
        workThrough(Duration.ofSeconds(3), 4);
        assertThat(order).containsExactly("x1", "death of x1", "x2", "x3");
        assertThat(row(CHAT, "x1").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void deadHeadParksItsLaneWherePolicySaysSoAndKeepsItsPlaceWhenReplayed() throws Exception {
        Engine node = start(store, settings -> settings.withPolicy(PARKING));
        for (Channel<Note> channel : List.of(CHAT.withPolicy("parking"), BOOK.withPolicy("parking"))) {
            boolean[] fails = {true};
            handled.clear();
            node.onDead(channel, fallback());
            if (channel instanceof Channel.Leased<Note> leased) {
                node.handle(leased, (note, run) -> failFirst(note, fails[0]));
            } else {
                node.handle((Channel.Atomic<Note>) channel, (note, tx) -> failFirst(note, fails[0]));
            }
            String first = channel.name() + "1";
            node.send(channel, note(first, "x")).orThrow();
            node.send(channel, note(channel.name() + "2", "x")).orThrow();
            work(node);
            assertDied(channel, first, 1);
            assertThat(handled).isEmpty();
            assertThat(row(channel, first).holdsLane()).isTrue();
            fails[0] = false;
            assertThat(node.operator().replay(row(channel, first).id(), WARRANT))
                    .isEqualTo(Replays.ReplayOutcome.DONE);
            work(node);
            assertThat(handled).containsExactly(first, channel.name() + "2");
        }
    }

    private void failFirst(Note note, boolean fails) {
        if (fails && note.text().endsWith("1")) {
            throw failing(Failure.Category.VALIDATION);
        }
        handled.add(note.text());
    }

    @Test
    void messageWhoseDeadlinePassedHasItsFallbackAndDidNotRun() throws Exception {
        engine.onDead(MAIL, fallback());
        engine.handle(MAIL, listing());
        engine.send(
                MAIL,
                note("m", "l").withDeadline(Instant.ofEpochMilli(time.millis()).plusSeconds(5)));
        time.advance(Duration.ofSeconds(6));
        assertDied(MAIL, "m", 1);
        assertThat(handled).isEmpty();
        assertThat(deaths.get(0).attempts()).isZero();
        assertThat(deaths.get(0).failure().category()).isEqualTo(Failure.Category.TIMEOUT);
    }

    @Test
    void messageThatNobodyCanReadHasItsFallbackWithoutAPayload() throws Exception {
        Channel.Leased<String> writer = Channel.leased("mail", String.class).withPolicy("steady");
        otherNode().send(writer, Message.of(ACME, Key.of("m"), "not a note")).orThrow();
        engine.onDead(MAIL, fallback());
        engine.handle(MAIL, listing());
        workThrough(Duration.ofMinutes(9), 14);
        assertDied(MAIL, "m", 1);
        assertThat(deaths).singleElement().satisfies(death -> {
            assertThat(death.payload()).isEmpty();
            assertThat(death.failure().category()).isEqualTo(Failure.Category.MAPPING);
        });
    }

    @Test
    void messageThatItsReconcilerFailedHasItsFallback() throws Exception {
        for (Policy policy : List.of(STEADY, PARKING)) {
            Engine node = start(store, settings -> settings.withPolicy(PARKING));
            Channel.Leased<Note> channel = Channel.leased("fax-" + policy.name(), Note.class)
                    .withPolicy(policy.name())
                    .withLane(Note::lane)
                    .asUnrepeatable();
            String key = policy.name();
            node.send(channel, note(key, "x")).orThrow();
            claim(channel);
            time.advance(LEASE.plusSeconds(1));
            node.onDead(channel, fallback());
            node.reconcile(
                    channel,
                    (note, about) -> Verdict.failed(Failure.of(Failure.Category.BUSINESS_RULE, "number unknown")));
            node.handle(channel, listing());
            node.duties().sweeper().sweep();
            assertThat(row(channel, key).state()).isEqualTo(State.UNKNOWN);
            node.duties().reconciliation().reconcile();
            work(node);
            assertDied(channel, key, 1);
            assertThat(handled).isEmpty();
            assertThat(story(channel, key)).contains("operation.reconciled");
        }
    }

    @Test
    void atomicMessageThatKilledItsNodesHasItsFallback() throws Exception {
        engine.onDead(POST, fallback());
        engine.handle(POST, dyingAtomically());
        send(POST, "m");
        abandon(POST, STEADY.retry().maxAttempts());
        engine.duties().sweeper().sweep();
        assertDied(POST, "m", 1);
        assertThat(handled).isEmpty();
        assertThat(deaths.get(0).failure().category()).isEqualTo(Failure.Category.LEASE_LOST);
        assertThat(story(POST, "m")).endsWith("retry.exhausted", "system.error");
    }

    @Test
    void dyingMessageOfAnUnrepeatableChannelIsNotTakenForInterrupted() throws Exception {
        Channel.Leased<Note> fax =
                Channel.leased("fax", Note.class).withPolicy("steady").asUnrepeatable();
        engine.onDead(fax, (death, tx) -> {
            throw new IllegalStateException("never");
        });
        engine.handle(fax, dying());
        send(fax, "m");
        work();
        time.advance(Duration.ofSeconds(1));
        claim(fax);
        time.advance(LEASE.plusSeconds(1));
        engine.duties().sweeper().sweep();
        assertNotDead(fax, "m", State.QUEUED);
        Engine mended = otherNode();
        mended.onDead(fax, fallback());
        mended.handle(fax, dying());
        workThrough(Duration.ofMinutes(1), 1);
        time.advance(Duration.ofMinutes(1));
        work(mended);
        assertDied(fax, "m", 1);
        assertThat(handled).containsExactly("m");
    }

    @Test
    void deathWaitsWhileItsChannelIsHaltedOrInShadow() throws Exception {
        boolean[] fails = {true};
        engine.onDead(MAIL, (death, tx) -> {
            if (fails[0]) {
                throw new IllegalStateException("once");
            }
            fallback().died(death, tx);
        });
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        work();
        fails[0] = false;
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.HALTED), WARRANT);
        workThrough(Duration.ofSeconds(5), 3);
        assertNotDead(MAIL, "m", State.QUEUED);
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.LIVE), WARRANT);
        workThrough(Duration.ofSeconds(5), 2);
        assertDied(MAIL, "m", 1);
        fails[0] = true;
        send(MAIL, "n");
        work();
        fails[0] = false;
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.SHADOW), WARRANT);
        workThrough(Duration.ofSeconds(5), 3);
        assertNotDead(MAIL, "n", State.QUEUED);
        engine.operator().setMode(new Switchboard.Setting(null, "mail", Mode.LIVE), WARRANT);
        workThrough(Duration.ofSeconds(15), 4);
        assertDied(MAIL, "n", 1);
    }

    @Test
    void nodeWithoutTheHandlerLeavesADyingMessageToOthers() throws Exception {
        engine.onDead(MAIL, (death, tx) -> {
            throw new IllegalStateException("never");
        });
        engine.handle(MAIL, dying());
        send(MAIL, "m");
        work();
        Engine without = otherNode();
        without.handle(MAIL, dying());
        time.advance(Duration.ofSeconds(1));
        work(without);
        assertNotDead(MAIL, "m", State.QUEUED);
        assertThat(engine.operator().explain(row(MAIL, "m")).sentence())
                .contains("no onDead handler is registered on this node");
        assertThat(handled).containsExactly("m");
    }

    @Test
    void directCallsThatDieHaveTheirFallbackAndAnswerFailed() throws Exception {
        List<Death<Order>> ordered = new ArrayList<>();
        for (Operation<Order, Receipt> operation : List.of(CHARGE, NOTIFY, REFUND)) {
            engine.onDead(operation, (death, tx) -> {
                ordered.add(death);
                effects.apply(tx, "fallback of " + operation.name());
                tx.send(REVIEW, death.key("review"), operation.name());
            });
            Answer<Receipt> first = fail(engine, operation);
            assertThat(failure(first).category()).isEqualTo(Failure.Category.RATE_LIMITED);
            assertThat(first).isInstanceOf(Answer.Failed.class);
            assertThat(fail(engine, operation)).as("replayed").isInstanceOf(Answer.Failed.class);
            assertThat(state(operation, "k")).isEqualTo(State.FAILED_TERMINAL);
            assertThat(effects.count("fallback of " + operation.name())).isEqualTo(1);
            assertThat(engine.operator().replay(id(operation, "k"), WARRANT)).isEqualTo(Replays.ReplayOutcome.DONE);
            assertThat(fail(engine, operation)).isInstanceOf(Answer.Failed.class);
            assertThat(effects.count("fallback of " + operation.name()))
                    .as("it died again")
                    .isEqualTo(2);
        }
        work();
        assertThat(reviewed).containsExactlyInAnyOrder("charge", "charge", "notify", "notify", "refund", "refund");
        assertThat(ordered).allSatisfy(death -> assertThat(death.payload()).contains(new Order("book", 42)));
        assertThat(ordered.stream().map(Death::id).distinct()).hasSize(6);
    }

    @Test
    void leaseOfADirectCallIsRenewedWhileItsFallbackRuns() {
        List<Renewal> renewed = new ArrayList<>();
        Store recording = new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(super.ledger()) {
                    @Override
                    public List<Boolean> renew(List<Renewal> batch) {
                        renewed.addAll(batch);
                        return batch.stream().map(each -> true).toList();
                    }
                };
            }
        };
        Engine node = start(recording, settings -> settings);
        node.onDead(NOTIFY, (death, tx) -> {
            time.advance(LEASE.dividedBy(2));
            node.duties().keeper().tick();
        });
        assertThat(fail(node, NOTIFY)).isInstanceOf(Answer.Failed.class);
        assertThat(renewed).extracting(Renewal::id).containsExactly(id(NOTIFY, "k"));
        time.advance(LEASE);
        node.duties().keeper().tick();
        assertThat(renewed).as("it is dead, and has no lease any more").hasSize(1);
    }

    /** A call whose receiver asks to wait longer than its policy allows. */
    private Answer<Receipt> fail(Engine node, Operation<Order, Receipt> operation) {
        return operation instanceof Operation.Atomic<Order, Receipt> atomic
                ? node.run(atomic, call("k"), (order, tx) -> {
                    throw TOO_LONG.asException();
                })
                : node.run((Operation.Leased<Order, Receipt>) operation, call("k"), (order, run) -> {
                    throw TOO_LONG.asException();
                });
    }

    @Test
    void directCallWhoseFallbackFailsIsNotDeadAndMayBeRepeated() throws Exception {
        for (Operation<Order, Receipt> operation : List.of(CHARGE, NOTIFY, REFUND)) {
            boolean[] fails = {true};
            engine.onDead(operation, (death, tx) -> {
                effects.apply(tx, "fallback of " + operation.name());
                if (fails[0]) {
                    throw new IllegalStateException("once");
                }
            });
            Answer<Receipt> later = fail(engine, operation);
            assertThat(later).isInstanceOf(Answer.RetryLater.class);
            assertThat(((Answer.RetryLater<Receipt>) later).in())
                    .as("not before the receiver allows it")
                    .isGreaterThanOrEqualTo(Duration.ofHours(5));
            assertThat(state(operation, "k")).isEqualTo(State.FAILED_RETRYABLE);
            assertThat(effects.count("fallback of " + operation.name())).isZero();
            assertThat(story(operation, "k")).doesNotContain("system.error");
            fails[0] = false;
            time.advance(Duration.ofHours(5).plusMinutes(1));
            assertThat(fail(engine, operation)).isInstanceOf(Answer.Failed.class);
            assertThat(effects.count("fallback of " + operation.name())).isEqualTo(1);
        }
    }

    @Test
    void duplicatesAtTheSameTimeDieOnce() throws Exception {
        Engine other = otherNode();
        for (Engine node : List.of(engine, other)) {
            node.onDead(CHARGE, (death, tx) -> effects.apply(tx, "fallback of charge"));
        }
        CyclicBarrier together = new CyclicBarrier(4);
        List<Thread> callers = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> {
                    try {
                        together.await();
                        fail(i % 2 == 0 ? engine : other, CHARGE);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toList();
        callers.forEach(Thread::start);
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(state(CHARGE, "k")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(effects.count("fallback of charge")).isEqualTo(1);
    }

    @Test
    void failureOfADirectCallThatIsNoDeadLetterHasNoFallback() throws Exception {
        engine.onDead(CHARGE, (death, tx) -> effects.apply(tx, "fallback of charge"));
        engine.run(CHARGE, call("k"), (order, tx) -> {
            throw failing(Failure.Category.VALIDATION);
        });
        assertThat(state(CHARGE, "k")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(effects.count("fallback of charge")).isZero();
    }

    @Test
    void policyWithoutDeadLettersHasNoFallback() throws Exception {
        Policy forgetting = Policy.named("forgetting")
                .withMaxAttempts(1)
                .withDeadLetters(false)
                .build();
        Engine node = start(store, settings -> settings.withPolicy(forgetting));
        Channel.Leased<Note> channel = MAIL.withPolicy("forgetting");
        node.onDead(channel, fallback());
        node.handle(channel, dying());
        node.send(channel, note("m", "l")).orThrow();
        work(node);
        assertThat(store.ledger().find(List.of(id(channel.operation(), "m"))).rows())
                .isEmpty();
        assertThat(fallbacks("m")).isZero();
    }

    @Test
    void secondHandlerAnotherDeclarationAndAStoreWithoutTransactionsAreRejected() {
        engine.onDead(MAIL, fallback());
        assertThatThrownBy(() -> engine.onDead(MAIL, fallback()))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("mail has an onDead handler already");
        assertThatThrownBy(() ->
                        engine.handle(Channel.leased("mail", String.class).withPolicy("steady"), (text, run) -> {}))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("declared twice");
        engine.handle(CHAT, listing());
        assertThatThrownBy(() -> engine.onDead(Channel.atomic("chat", String.class), (death, tx) -> {}))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining("declared twice");
        Store bare = new ForwardingStore(store) {
            @Override
            public Optional<Transactions> transactions() {
                return Optional.empty();
            }
        };
        assertThatThrownBy(() -> start(bare, settings -> settings).onDead(POST, fallback()))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("onDead of post");
    }
}
