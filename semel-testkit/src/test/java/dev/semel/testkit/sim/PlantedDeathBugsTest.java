package dev.semel.testkit.sim;

import static dev.semel.testkit.sim.PlantedBugsTest.finds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.execution.PendingDeath;
import dev.semel.ledger.Transition;
import dev.semel.store.Move;
import dev.semel.store.State;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Bugs of a death and its fallback, each found by the simulation. */
class PlantedDeathBugsTest {
    private static final String FOUND = "and their fallbacks are";

    @Test
    void d14_fallbackInACommitOfItsOwnBeforeTheDeath() {
        finds(FOUND, PlantedBugs.transactions((store, real) -> new PlantedBugs.CommitsEffectsApart(real)));
    }

    @Test
    void d14_deathRecordedAlthoughItsFallbackThrew() {
        finds(
                FOUND,
                PlantedBugs.ledger((store, node) -> BuggyLedger.moving(store, PlantedDeathBugsTest::withoutFallback)));
    }

    private static Move withoutFallback(Move move) {
        PendingDeath dying = PendingDeath.read(move.change().failure());
        boolean failed =
                move.to() == State.QUEUED && dying != null && dying.tries().failed() > 0;
        return failed
                ? new Move(
                        move.id(),
                        move.fence(),
                        Transition.FAIL.from(),
                        State.FAILED_TERMINAL,
                        move.change(),
                        move.events())
                : move;
    }

    @Test
    void d14_earlierDeathTakenForTheOwn() {
        finds(
                FOUND,
                PlantedBugs.driver((store, real) ->
                        new PlantedBugs.TakesAnEarlierFinishForItsOwn(new PlantedBugs.RunsAgainAfterALostReply(real))));
    }

    /** The bug above is the answer that is misread, not the transaction that is run again. */
    @Test
    void d14_transactionsThatAreRunAgainAfterALostReplyDoubleNoFallback() {
        Simulation simulation =
                Simulation.of(PlantedBugs.driver((store, real) -> new PlantedBugs.RunsAgainAfterALostReply(real)));
        assertThat(LongStream.rangeClosed(1, 300)
                        .mapToObj(simulation::run)
                        .flatMap(report -> report.wrongs().stream())
                        .filter(wrong -> wrong.contains(FOUND)))
                .isEmpty();
    }
}
