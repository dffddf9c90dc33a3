package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Call.Origin;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.execution.Failures;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Move;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** D16: one sender's bad data is refused at the door, and what only the store can refuse fails nobody else's work. */
abstract class BadDataSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "drill");
    private static final List<Message<Note>> AMONG_OTHERS =
            List.of(note("a", "lane"), note("bad", "lane"), note("b", "lane"));

    BadDataSuite(EngineContract contract) {
        super(contract);
    }

    /** A text that reaches a store, and how it gets there. */
    enum Field {
        TENANT("tenant", 255) {
            @Override
            void give(Engine engine, String text) {
                accepted(engine.send(CHAT, Message.of(Tenant.of(text), Key.of("k"), new Note("lane", "text"))));
            }
        },
        OPERATION("operation name", 120) {
            @Override
            void give(Engine engine, String text) {
                Channel.Leased<Note> channel = Channel.leased(text, Note.class).withPolicy("steady");
                accepted(engine.send(channel, Message.of(ACME, Key.of("k"), new Note("lane", "text"))));
            }
        },
        LANE("lane", 255) {
            @Override
            void give(Engine engine, String text) {
                Channel.Leased<Note> channel =
                        Channel.leased("laned", Note.class).withPolicy("steady").withLane(note -> text);
                accepted(engine.send(channel, Message.of(ACME, Key.of("k"), new Note("lane", "text"))));
            }
        },
        CORRELATION("correlation id", 255) {
            @Override
            void give(Engine engine, String text) {
                by(engine, Origin.UNSTATED.withCorrelationId(text));
            }
        },
        TRACE("trace id", 255) {
            @Override
            void give(Engine engine, String text) {
                by(engine, Origin.UNSTATED.withTraceId(text));
            }
        },
        ACTOR("actor", 255) {
            @Override
            void give(Engine engine, String text) {
                by(engine, Origin.UNSTATED.withActor(text, "user"));
            }
        },
        ACTOR_TYPE("actor type", 255) {
            @Override
            void give(Engine engine, String text) {
                by(engine, Origin.UNSTATED.withActor("ann", text));
            }
        },
        SOURCE("source", 255) {
            @Override
            void give(Engine engine, String text) {
                by(engine, Origin.UNSTATED.withSource(text));
            }
        },
        STEP("step name", 255) {
            @Override
            void give(Engine engine, String text) {
                Answer<Receipt> answer =
                        engine.run(REFUND, call("k" + text.length() + text.hashCode()), (order, run) -> {
                            run.step(text, String.class, key -> "done");
                            return new Receipt("r");
                        });
                if (answer instanceof Answer.Failed<Receipt> failed) {
                    throw new SemelException.Invalid(failed.failure().reason());
                }
                assertExecuted(answer, "r");
            }
        },
        OPERATOR("operator", 255) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().pause("mail", null, new Warrant(text, "drill"));
            }
        },
        REASON("reason", Warrant.MAX_REASON) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().pause("mail", null, new Warrant("ann", text));
            }
        },
        PAUSED_CHANNEL("operation name", 120) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().pause(text, null, WARRANT);
            }
        },
        PAUSED_TENANT("tenant", 255) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().pause("mail", text, WARRANT);
            }
        },
        OPERATION_OF_A_MODE("operation name", 120) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().setMode(new Switchboard.Setting(null, text, Mode.HALTED), WARRANT);
            }
        },
        TENANT_OF_A_MODE("tenant", 255) {
            @Override
            void give(Engine engine, String text) {
                engine.operator().setMode(new Switchboard.Setting(text, null, Mode.HALTED), WARRANT);
            }
        };

        private final String named;
        private final int longest;

        Field(String named, int longest) {
            this.named = named;
            this.longest = longest;
        }

        /**
         * Gives the text and has it stored.
         *
         * @throws SemelException.Invalid when it is refused
         */
        abstract void give(Engine engine, String text);

        void by(Engine engine, Origin origin) {
            assertExecuted(
                    engine.run(
                            CHARGE,
                            Call.of(ACME, Key.of(name()), new Order("book", 42)).withOrigin(origin),
                            (order, tx) -> new Receipt("r")),
                    "r");
        }

        private static void accepted(Sent sent) {
            if (sent instanceof Sent.Rejected rejected) {
                throw new SemelException.Invalid(rejected.notice().reason());
            }
            assertThat(sent).isInstanceOf(Sent.Accepted.class);
        }
    }

    @Test
    void d16_textThatAStoreCannotKeepIsRejectedWithTheFieldAndTheReason() {
        for (Field field : Field.values()) {
            assertRefused(field, "a\0b", "character at position 1");
            assertRefused(field, "a\ud83d", "half of a surrogate pair at position 1");
            assertRefused(field, "\ude00a", "half of a surrogate pair at position 0");
            assertRefused(field, "x".repeat(field.longest + 1), "at most " + field.longest);
            assertRefused(field, "", field == Field.OPERATOR || field == Field.REASON ? "Give both" : "is empty");
        }
        assertThat(store.queue().orElseThrow().operations())
                .as("what was refused left nothing")
                .isEmpty();
        assertThat(store.switchboard().modes().pauses()).isEmpty();
        assertThat(store.switchboard().modes().settings()).isEmpty();
    }

    @Test
    void d16_textOfTheGreatestLengthInCharactersOfFourBytesIsKept() {
        for (Field field : Field.values()) {
            field.give(engine, "\ud83d\ude00".repeat(field.longest / 2));
        }
        assertThat(store.switchboard().modes().pauses()).hasSize(3);
        assertThat(store.switchboard().modes().settings()).hasSize(2);
    }

    private void assertRefused(Field field, String text, String what) {
        String said = null;
        try {
            field.give(engine, text);
        } catch (SemelException.Invalid e) {
            said = e.getMessage();
        }
        assertThat(said).as("%s of %s characters", field, text.length()).contains(what);
        if (!text.isEmpty()) {
            assertThat(said).contains(field.named);
        }
    }

    @Test
    void d16_keyMayHaveNulAndAnythingThatCanBeEncoded() {
        for (String key : List.of("\0", "a\0b", "\ud83d\ude00".repeat(127))) {
            assertExecuted(charge(key), "r-" + key);
            assertReplayed(charge(key), "r-" + key);
            assertThat(Objects.requireNonNull(row(CHARGE, key)).header().key()).isEqualTo(key);
        }
    }

    @Test
    void d16_anyMessageOfAnExceptionCanBeRecorded() {
        engine.handle(MAIL, (note, run) -> {
            throw Failure.of(Failure.Category.VALIDATION, "bad\0 \ud83d text\n" + "x".repeat(100_000))
                    .asException();
        });
        send(MAIL, "m");
        work();
        Row dead = row(MAIL, "m");
        assertThat(dead.state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(Failures.decode(dead.failure()).reason())
                .startsWith("bad text xxx")
                .hasSize(Failure.MAX_REASON);
        assertThat(story(MAIL, "m")).contains("system.error");
    }

    @Test
    void d16_messageWhoseFailureHasACategoryOfANewerVersionIsStillDelivered() {
        engine.handle(MAIL, listing());
        send(MAIL, "m");
        Row row = claim(MAIL);
        byte[] newer =
                "{\"category\":\"quota_exceeded\",\"reason\":\"No quota is left.\"}".getBytes(StandardCharsets.UTF_8);
        Move.Change due = Transition.due(Duration.ZERO, Duration.ZERO, 1, newer);
        store.ledger().move(List.of(Transition.RETRY.of(row.id(), row.status().fence(), due, null)));
        assertThat(Failures.decode(newer)).isEqualTo(Failure.of(Failure.Category.UNKNOWN, "No quota is left."));
        work();
        assertThat(handled).containsExactly("m");
        assertThat(row(MAIL, "m").state()).isEqualTo(State.COMPLETED);
    }

    /** A store that rejects the data of these records when they are completed, or at the given calls. */
    private Engine refusing(Set<StoreCall> calls, RecordId... ids) {
        Faults faults = new Faults() {
            @Override
            public Fault at(StoreCall call) {
                return Fault.NONE;
            }

            @Override
            public boolean refuses(StoreCall call, RecordId record) {
                return calls.contains(call) && Stream.of(ids).anyMatch(record::equals);
            }
        };
        return start(new FaultyStore(reopened(), faults), settings -> settings);
    }

    private static void assertOnlyTheSecondIsBad(List<?> answers, Class<?> good, Class<?> bad) {
        assertThat(answers).extracting(Object::getClass).isEqualTo(List.of(good, bad, good));
    }

    @Test
    void d16_callWhoseRecordTheStoreRefusesIsRejectedAndOthersAreExecuted() {
        Engine node = refusing(EnumSet.of(StoreCall.RESERVE), id(REFUND, "bad"));
        Answer<Receipt> answer = node.run(REFUND, call("bad"), (order, run) -> new Receipt("r"));
        assertThat(answer).isInstanceOf(Answer.Rejected.class);
        assertThat(((Answer.Rejected<Receipt>) answer).notice().reason())
                .contains(id(REFUND, "bad").toString());
        List<Answer<Receipt>> many =
                node.runAll(REFUND, List.of(call("a"), call("bad"), call("b")), (order, run) -> new Receipt("r"));
        assertOnlyTheSecondIsBad(many, Answer.Executed.class, Answer.Rejected.class);
    }

    @Test
    void d16_rejectedCallWithoutACorrelationIdIsGivenOne() {
        Engine node = refusing(EnumSet.of(StoreCall.RESERVE), id(REFUND, "bad"));
        Call<Order> bad = otherPayload("bad");
        List<Answer<Receipt>> many = node.runAll(REFUND, List.of(call("a"), bad), (order, run) -> new Receipt("r"));
        assertThat(List.of(node.run(REFUND, bad, (order, run) -> new Receipt("r")), many.get(1)))
                .extracting(
                        answer -> ((Answer.Rejected<Receipt>) answer).notice().correlationId())
                .allMatch(id -> id.matches("[0-9a-f]{16}"));
    }

    @Test
    void d16_messageThatTheStoreRefusesIsRejectedAndOthersAreAccepted() {
        Engine node = refusing(EnumSet.of(StoreCall.ENQUEUE), id(MAIL.operation(), "bad"));
        assertThat(node.send(MAIL, note("bad", "lane"))).isInstanceOf(Sent.Rejected.class);
        List<Sent> many = node.sendAll(MAIL, AMONG_OTHERS);
        assertOnlyTheSecondIsBad(many, Sent.Accepted.class, Sent.Rejected.class);
        assertThat(node.sendAll(MAIL, List.of(note("bad", "lane"))).get(0)).isInstanceOf(Sent.Rejected.class);
    }

    @Test
    void d16_atomicDeliveryWhoseEndTheStoreRefusesIsADeadLetterWithItsStory() {
        Engine node = refusing(EnumSet.of(StoreCall.TX_MOVE), id(POST.operation(), "bad"));
        node.handle(POST, (note, tx) -> handled.add(note.text()));
        node.sendAll(POST, AMONG_OTHERS);
        work(node);
        assertThat(handled).contains("a", "bad", "b");
        assertThat(row(POST, "a").state()).isEqualTo(State.COMPLETED);
        assertThat(row(POST, "b").state()).isEqualTo(State.COMPLETED);
        Row dead = row(POST, "bad");
        assertThat(dead.state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(Failures.decode(dead.failure()).reason()).contains("the store rejected its data");
        assertThat(story(POST, "bad")).endsWith("system.error");
    }

    @Test
    void d16_atomicCallWhoseRecordTheStoreRefusesFailsForGoodAndItsEffectIsRolledBack() throws Exception {
        Engine node = refusing(EnumSet.of(StoreCall.WRITE), id(CHARGE, "bad"));
        Answer<Receipt> answer = node.run(CHARGE, call("bad"), charging("bad"));
        assertThat(failure(answer).reason()).contains("the store rejected its data");
        assertThat(effects.count("bad")).isZero();
        assertThat(state(CHARGE, "bad")).isEqualTo(State.FAILED_TERMINAL);
        List<Answer<Receipt>> many =
                node.runAll(CHARGE, List.of(call("a"), call("bad"), call("b")), (order, tx) -> new Receipt("r"));
        assertOnlyTheSecondIsBad(many, Answer.Executed.class, Answer.Failed.class);
    }

    @Test
    void d16_verdictThatTheStoreRejectsIsRetriedLaterAndNotInEachRound() {
        verdictIsRefused(() -> abandon(REFUND, "bad"));
    }

    @Test
    void d16_verdictAboutStepsThatTheStoreRejectsIsRetriedLaterAndNotInEachRound() {
        verdictIsRefused(() -> dieInside(REFUND, "bad", "dial"));
    }

    private void verdictIsRefused(Runnable interrupted) {
        Engine node = refusing(EnumSet.of(StoreCall.MOVE), id(REFUND, "bad"));
        AtomicInteger asked = new AtomicInteger();
        node.reconcile(REFUND, (order, what) -> {
            asked.incrementAndGet();
            return new Reconciler.Verdict.TookEffect<>(new Receipt("found"));
        });
        interrupted.run();
        time.advance(LEASE);
        node.duties().sweeper().sweep();
        for (int round = 0; round < 5; round++) {
            node.duties().reconciliation().reconcile();
        }
        assertThat(asked).hasValue(1);
        assertThat(state(REFUND, "bad")).isEqualTo(State.UNKNOWN);
        time.advance(Duration.ofMinutes(1));
        node.duties().reconciliation().reconcile();
        assertThat(asked).hasValue(2);
        assertThat(state(REFUND, "bad")).isEqualTo(State.UNKNOWN);
    }
}
