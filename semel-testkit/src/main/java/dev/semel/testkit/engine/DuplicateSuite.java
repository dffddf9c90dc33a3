package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Sent;
import dev.semel.engine.Engine;
import dev.semel.key.Keys;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** D11: duplicates by people and their tools. */
abstract class DuplicateSuite extends ChannelFixture {
    /** As it comes in; the number of the delivery is the transport's. */
    record Command(String text, int delivery) {}

    record Decision(String approval, boolean granted) {}

    private static final Channel.Atomic<Command> COMMANDS =
            Channel.atomic("commands", Command.class).withPolicy("steady").withTransportFields("delivery");
    private static final Operation.Atomic<Decision, Receipt> DECIDE =
            Operation.atomic("decide", Decision.class, Receipt.class).withPolicy("steady");

    DuplicateSuite(EngineContract contract) {
        super(contract);
    }

    @Test
    void d11_slashCommandThatIsDeliveredAgainHasOneEffect() throws Exception {
        Engine other = otherNode();
        Key envelope = Keys.operation("slack_slash", "envelope-7", "create_quote", null, null, null);
        for (Engine node : List.of(engine, other)) {
            node.handle(COMMANDS, (command, tx) -> effects.apply(tx, command.text()));
        }
        assertThat(engine.send(COMMANDS, command(envelope, 1)))
                .isInstanceOfSatisfying(
                        Sent.Accepted.class, sent -> assertThat(sent.first()).isTrue());
        assertThat(other.send(COMMANDS, command(envelope, 2)))
                .isInstanceOfSatisfying(
                        Sent.Accepted.class, sent -> assertThat(sent.first()).isFalse());
        work(other);
        work();
        assertThat(engine.send(COMMANDS, command(envelope, 3)))
                .isInstanceOfSatisfying(
                        Sent.Accepted.class, sent -> assertThat(sent.first()).isFalse());
        work();
        assertThat(effects.count("/quote acme")).isEqualTo(1);
    }

    @Test
    void d11_repeatedTextInTheNextBucketIsADuplicateWhileTheFirstWaitsForARetry() throws Exception {
        Duration width = Duration.ofMinutes(1);
        Instant start = Instant.ofEpochMilli(time.millis());
        Key first = Keys.textInBucket("room", "/quote acme", width, start);
        Key second = Keys.textInBucket("room", "/quote acme", width, start.plus(width));
        List<Integer> failures = new ArrayList<>(List.of(1));
        engine.handle(COMMANDS, (command, tx) -> {
            effects.apply(tx, command.text());
            if (!failures.isEmpty()) {
                failures.clear();
                throw failing(Failure.Category.NETWORK);
            }
        });
        engine.send(COMMANDS, command(first, 1));
        work();
        assertThat(state(COMMANDS.operation(), first.text())).isEqualTo(State.FAILED_RETRYABLE);
        time.advance(width);
        assertThat(engine.send(COMMANDS, command(second, 2)))
                .isInstanceOfSatisfying(
                        Sent.Accepted.class, sent -> assertThat(sent.first()).isFalse());
        work();
        assertThat(state(COMMANDS.operation(), second.text())).isNull();
        assertThat(effects.count("/quote acme")).isEqualTo(1);
    }

    private static Message<Command> command(Key envelope, int delivery) {
        return Message.of(ACME, envelope, new Command("/quote acme", delivery));
    }

    @Test
    void d11_approvalThatIsClickedTwiceAtOnceHasOneEffect() throws Exception {
        Engine other = otherNode();
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService people = Executors.newFixedThreadPool(2);
        try {
            List<Future<Answer<Receipt>>> clicks = new ArrayList<>();
            for (Engine node : List.of(engine, other)) {
                clicks.add(people.submit(() -> {
                    together.await();
                    return click(node, true);
                }));
            }
            List<Answer<Receipt>> answers = new ArrayList<>();
            for (Future<Answer<Receipt>> click : clicks) {
                answers.add(click.get());
            }
            assertThat(answers.stream().filter(Answer.Executed.class::isInstance))
                    .hasSize(1);
            assertThat(answers)
                    .allMatch(answer -> answer instanceof Answer.Executed
                            || answer instanceof Answer.Replayed
                            || answer instanceof Answer.InProgress);
        } finally {
            people.shutdownNow();
        }
        assertReplayed(click(other, true), "granted");
        assertThat(effects.count("approval-3")).isEqualTo(1);
    }

    @Test
    void d11_secondThoughtAboutAnApprovalIsAConflictAndHasNoEffect() throws Exception {
        assertExecuted(click(engine, true), "granted");
        assertThat(click(engine, false)).isInstanceOf(Answer.Conflict.class);
        assertThat(effects.count("approval-3")).isEqualTo(1);
    }

    /** Each click is a separate request: the same decision about the same version makes them duplicates. */
    private Answer<Receipt> click(Engine node, boolean granted) {
        Key key = Keys.operation("slack_interactive", null, "decide", "approval-3", 2L, null);
        return node.run(DECIDE, Call.of(ACME, key, new Decision("approval-3", granted)), (decision, tx) -> {
            effects.apply(tx, decision.approval());
            return new Receipt("granted");
        });
    }

    @Test
    void d11_webhookThatTwoRulesMatchHasOneEffect() {
        Channel.Atomic<Note> byAmount = POST;
        Channel.Atomic<Note> byCustomer = BOOK;
        for (Channel.Atomic<Note> rule : List.of(byAmount, byCustomer)) {
            engine.handle(rule, (event, tx) -> {
                handled.add(rule.name());
                Key action = Keys.action("notify", event.lane(), "sales", event.text());
                tx.send(MAIL, action, new Note(event.lane(), "a large order"));
            });
        }
        engine.handle(MAIL, listing());
        Key event = Keys.event("shop", "order-5", "paid");
        for (int delivery = 1; delivery <= 2; delivery++) {
            for (Channel.Atomic<Note> rule : List.of(byAmount, byCustomer)) {
                engine.send(rule, Message.of(ACME, event, new Note("order-5", "paid")));
            }
            work();
        }
        assertThat(handled).containsExactlyInAnyOrder("post", "book", "a large order");
        String key = Keys.action("notify", "order-5", "sales", "paid").text();
        assertThat(row(MAIL, key).state()).isEqualTo(State.COMPLETED);
    }

    record Booking(String item, @Nullable String seat) {}

    /** As a later version of the application has it. */
    record BookingWithNote(
            String item, @Nullable String seat, @Nullable String note, int copies) {}

    private static Operation.Atomic<Booking, Receipt> booking() {
        return Operation.atomic("booking", Booking.class, Receipt.class).withPolicy("steady");
    }

    private static Operation.Leased<BookingWithNote, Receipt> bookingWithNote() {
        return Operation.leased("booking", BookingWithNote.class, Receipt.class)
                .withPolicy("steady")
                .withNullsAsAbsent()
                .withDefault("copies", 1);
    }

    private static Call<BookingWithNote> bookedAgain(@Nullable String note, int copies) {
        return Call.of(ACME, Key.of("k"), new BookingWithNote("book", null, note, copies));
    }

    @Test
    void retryByANewerClassWhoseNewFieldsAreNullOrTheirDefaultsIsAReplay() {
        for (Operation.Atomic<Booking, Receipt> first :
                List.of(booking(), booking().withNullsAsAbsent())) {
            engine.operator().forget(ACME, "booking", Key.of("k"), new Warrant("ann", "next round"));
            Answer<Receipt> booked = engine.run(
                    first, Call.of(ACME, Key.of("k"), new Booking("book", null)), (order, tx) -> new Receipt("first"));
            assertExecuted(booked, "first");
            Engine newer = otherNode();
            assertReplayed(
                    newer.run(bookingWithNote(), bookedAgain(null, 1), (order, run) -> new Receipt("2")), "first");
            assertThat(newer.run(bookingWithNote(), bookedAgain("window", 1), (order, run) -> new Receipt("3")))
                    .isInstanceOf(Answer.Conflict.class);
            assertThat(newer.run(bookingWithNote(), bookedAgain(null, 2), (order, run) -> new Receipt("4")))
                    .isInstanceOf(Answer.Conflict.class);
            Operation.Leased<BookingWithNote, Receipt> undeclared = Operation.leased(
                            "booking", BookingWithNote.class, Receipt.class)
                    .withPolicy("steady");
            boolean older = !first.definition().meaning().nullsAreAbsent();
            assertThat(newer.run(undeclared, bookedAgain(null, 1), (order, run) -> new Receipt("5")))
                    .as("what is not declared counts")
                    .isInstanceOf(Answer.Conflict.class);
            assertThat(Objects.requireNonNull(row(first, "k"))
                            .header()
                            .fingerprint()
                            .version())
                    .isEqualTo(older ? 1 : 2);
        }
    }

    @Test
    void messageOfANewerClassWhoseNewFieldsAreNullOrTheirDefaultsIsADuplicate() {
        Channel.Leased<Booking> first = Channel.leased("bookings", Booking.class);
        Channel.Leased<BookingWithNote> newer = Channel.leased("bookings", BookingWithNote.class)
                .withNullsAsAbsent()
                .withDefault("copies", 1);
        engine.send(first, Message.of(ACME, Key.of("k"), new Booking("book", null)));
        assertThat(engine.send(newer, Message.of(ACME, Key.of("k"), new BookingWithNote("book", null, null, 1)))
                        .orThrow()
                        .first())
                .isFalse();
        assertThat(engine.send(newer, Message.of(ACME, Key.of("k"), new BookingWithNote("book", null, "window", 1))))
                .isInstanceOf(Sent.Conflict.class);
    }
}
