package dev.semel.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.State;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingTransactions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Bugs of messages that runs in SHADOW would have sent, planted in the database: the simulation finds each. */
class PlantedShadowBugsTest {
    private static final int SEEDS = 1_500;
    private static final int TOLD = 400;
    private static final Pattern REAL = Pattern.compile("\"sends_as\":\"([0-9a-f]{64})\"");

    private static void finds(String what, StoreUnderTest bug) {
        Simulation simulation = Simulation.of(bug);
        assertThat(LongStream.rangeClosed(1, SEEDS)
                        .mapToObj(simulation::run)
                        .flatMap(report -> report.wrongs().stream())
                        .filter(wrong -> wrong.contains(what))
                        .findFirst())
                .as("of %d seeds one finds it", SEEDS)
                .isPresent();
    }

    private static StoreUnderTest moving(UnaryOperator<Move> changed) {
        return PlantedBugs.transactions(
                (store, real) -> new ChangedTransactions(real, changed, UnaryOperator.identity()));
    }

    /** Changes what is moved and sent in transactions. */
    private static final class ChangedTransactions extends ForwardingTransactions {
        private final UnaryOperator<Move> moves;
        private final UnaryOperator<Arrival> arrivals;

        ChangedTransactions(Transactions delegate, UnaryOperator<Move> moves, UnaryOperator<Arrival> arrivals) {
            super(delegate);
            this.moves = moves;
            this.arrivals = arrivals;
        }

        @Override
        protected Tx wrap(Tx tx) {
            return new ForwardingTx(tx) {
                @Override
                public List<Moved> move(List<Move> batch) {
                    return super.move(batch.stream().map(moves).toList());
                }

                @Override
                public List<Enqueued> enqueue(List<Arrival> batch) {
                    return super.enqueue(batch.stream().map(arrivals).toList());
                }
            };
        }
    }

    private static boolean isRehearsal(Move move) {
        return move.to() == State.SHADOWED && move.from().equals(Transition.REHEARSE.from());
    }

    /** The record that the message would have been sent as. */
    private static RecordId real(Move move) {
        Matcher found =
                REAL.matcher(new String(Objects.requireNonNull(move.change().result()), StandardCharsets.UTF_8));
        assertThat(found.find()).isTrue();
        return RecordId.ofHex(found.group(1));
    }

    @Test
    void d9_messageOfShadowStaysQueuedAndIsDelivered() {
        finds(
                "led what was recorded in SHADOW from",
                moving(move -> isRehearsal(move)
                        ? new Move(
                                move.id(),
                                move.fence(),
                                move.from(),
                                State.QUEUED,
                                Transition.due(Duration.ZERO, Duration.ZERO, 0, null)
                                        .at(new Move.Place(null, Move.Then.JOIN)),
                                move.events())
                        : move));
    }

    /** A real send of the same key would be taken for a duplicate, and lost. */
    @Test
    void d9_messageOfShadowIsStoredUnderTheIdOfTheRealOne() {
        finds(
                "notice/",
                PlantedBugs.transactions((store, real) -> new ChangedTransactions(
                        real,
                        move -> isRehearsal(move)
                                ? new Move(
                                        real(move),
                                        move.fence(),
                                        move.from(),
                                        move.to(),
                                        Transition.result(Duration.ofDays(1), null)
                                                .at(move.change().place()),
                                        move.events())
                                : move,
                        arrival -> {
                            Header header = arrival.header();
                            RecordId id = Identity.of(Client.TENANT, header.operation(), dev.semel.Key.of(header.key()))
                                    .id();
                            return arrival.id().equals(id.shadow())
                                    ? new Arrival(
                                            id,
                                            header,
                                            arrival.payload(),
                                            arrival.lane(),
                                            Arrival.ArrivalTimes.NOW,
                                            arrival.event())
                                    : arrival;
                        })));
    }

    /** Otherwise the bugs above would say little. */
    @Test
    void d9_messagesOfShadowAreSentForRealAndMeetRealOnes() {
        Simulation simulation = Simulation.of(StoreUnderTest.NONE);
        StringBuilder stories = new StringBuilder();
        for (long seed = 1; seed <= TOLD; seed++) {
            stories.append(simulation.tell(seed).shown());
        }
        assertThat(stories).contains("replay of SHADOW DONE", "replay of SHADOW ALREADY", "discard of SHADOW DONE");
    }
}
