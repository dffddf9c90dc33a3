package dev.semel.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditRow;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.WallClockOnly;
import dev.semel.testkit.sim.PlantedBugs.ShowsRows;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The simulation is worth something only if it finds a bug that is there. */
class PlantedBugsTest {
    /** Some bugs need a rare moment; most are found by one of the first few. */
    private static final int SEEDS = 5_000;

    /** Runs seed after seed until one is found wrong, which must say so in these words. */
    static void finds(String words, StoreUnderTest bug) {
        Simulation simulation = Simulation.of(bug);
        List<String> found = new ArrayList<>();
        for (long seed = 1; seed <= SEEDS; seed++) {
            List<String> wrongs = simulation.run(seed).wrongs();
            if (wrongs.stream().anyMatch(wrong -> wrong.contains(words))) {
                return;
            }
            found.addAll(wrongs);
        }
        assertThat(found).as("found in %d seeds", SEEDS).anyMatch(wrong -> wrong.contains(words));
    }

    @Test
    void a2_moveUnderAnOldFence() {
        finds(
                "under another fence",
                PlantedBugs.ledger((store, node) -> BuggyLedger.moving(store, move -> {
                    Row row = PlantedBugs.row(store, move.id());
                    long fence = row == null ? move.fence() : row.status().fence();
                    return new Move(move.id(), fence, BuggyLedger.ANY, move.to(), move.change(), move.events());
                })));
    }

    @Test
    void a18_decisionOfWhichOnlyThePartAboutTheStepsIsWritten() {
        finds("without the interrupted step", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            public Moved moveTogether(List<Move> batch) {
                return Moved.together(move(batch.subList(0, batch.size() - 1)));
            }
        }));
    }

    @Test
    void a11_storeThatJudgesByItsWallClock() {
        finds("granted again before its time", new StoreUnderTest() {
            @Override
            public TimeSource storeTime(TimeSource time) {
                return new WallClockOnly(time);
            }
        });
    }

    @Test
    void takeoverOfARecordThatItsOwnerHasReleased() {
        finds("made anew although nobody asked", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Reservation.Grant grant = asked.grant();
                return super.reserve(
                        modesVersion,
                        with(
                                asked,
                                new Reservation.Grant(
                                        grant.owner(), grant.leaseMillis(), grant.repeatable(), grant.maxAttempts())));
            }
        }));
    }

    @Test
    void leaseThatIsOverOneMillisecondTooLate() {
        finds("although it may be run again", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Reservation.Grant grant = asked.grant();
                Reserved looked = asked.parent() != null
                        ? new Reserved.ParentLost()
                        : super.reserve(
                                -1, with(asked, new Reservation.Grant(grant.owner(), grant.leaseMillis(), false, 0)));
                boolean atTheEdge = looked instanceof Reserved.Existing existing
                        && running(existing.row().status())
                        && existing.row().status().at() == existing.now();
                return atTheEdge ? looked : super.reserve(modesVersion, asked);
            }
        }));
    }

    @Test
    void a5_acknowledgementBeforeTheCommit() {
        finds(
                "its effect is there 0 times",
                PlantedBugs.transactions((store, real) -> new PlantedBugs.AcknowledgesBeforeCommit(real)));
    }

    @Test
    void a5_lostReplyTakenForAFailure() {
        finds(
                "was told FAIL, and its effect is there",
                PlantedBugs.driver((store, real) -> new PlantedBugs.TakesALostReplyForAFailure(real)));
    }

    @Test
    void a1_grantToEveryCaller() {
        finds(
                "was granted after",
                PlantedBugs.ledger((store, node) -> BuggyLedger.answering(
                        store,
                        (asked, there) -> BuggyLedger.running(there.row().status())
                                ? new Reserved.Granted(
                                        there.row().status().fence(),
                                        there.row().status().attempt(),
                                        false)
                                : there)));
    }

    @Test
    void a4_takeoverOfAnUnrepeatableRun() {
        finds(
                "may not be run again",
                PlantedBugs.ledger((store, node) -> BuggyLedger.asking(
                        store,
                        asked -> BuggyLedger.with(
                                asked,
                                new Reservation.Grant(
                                        asked.grant().owner(), asked.grant().leaseMillis(), true, 3)))));
    }

    @Test
    void a12_takeoversWithoutEnd() {
        finds(
                "may not be run again",
                PlantedBugs.ledger((store, node) -> BuggyLedger.asking(
                        store,
                        asked -> BuggyLedger.with(
                                asked,
                                new Reservation.Grant(
                                        asked.grant().owner(),
                                        asked.grant().leaseMillis(),
                                        asked.grant().repeatable(),
                                        1_000)))));
    }

    @Test
    void a9_purgeOfALiveRecord() {
        finds("a purge removed it", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            private final Set<RecordId> known = new LinkedHashSet<>();

            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                known.add(asked.identity().id());
                return super.reserve(modesVersion, asked);
            }

            @Override
            public Map<String, Integer> purge(int limit, Function<Map<String, Integer>, List<AuditEntry>> events) {
                store().ledger().find(known).rows().values().forEach(row -> PlantedBugs.remove(store(), row));
                return super.purge(limit, events);
            }
        }));
    }

    @Test
    void waiterThatDeletesTheOwnersClaim() {
        finds(
                "a reservation removed it",
                PlantedBugs.ledger((store, node) -> BuggyLedger.answering(store, (asked, there) -> {
                    if (BuggyLedger.running(there.row().status())) {
                        PlantedBugs.remove(store, there.row());
                    }
                    return there;
                })));
    }

    @Test
    void replayOfAnothersResult() {
        Map<String, Row> newest = new HashMap<>();
        finds(
                "and was given",
                PlantedBugs.transactions((store, real) -> new ShowsRows(real, PlantedBugs.anothersResult(newest))));
    }

    @Test
    void a13_fencesThatComeAgain() {
        finds("was granted after", PlantedBugs.ledger((store, node) -> new BuggyLedger.FencesByAttempt(store)));
    }

    @Test
    void a7_conflictThatIsNotSeen() {
        finds(
                "and was given",
                PlantedBugs.ledger((store, node) -> BuggyLedger.answering(
                        store,
                        (asked, there) ->
                                new Reserved.Existing(BuggyLedger.with(there.row(), asked.header()), there.now()))));
    }

    @Test
    void a7_grantToAnotherPayload() {
        finds("and was given", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Row row = PlantedBugs.row(store(), asked.identity().id());
                Header header = asked.header();
                Header stored = row == null
                        ? header
                        : new Header(
                                header.tenant(),
                                header.operation(),
                                header.key(),
                                row.header().fingerprint(),
                                header.correlationId(),
                                header.parent());
                return super.reserve(modesVersion, with(asked, stored));
            }
        }));
    }

    @Test
    void eventThatIsMissing() {
        finds("the audit does not tell of it", PlantedBugs.ledger((store, node) -> BuggyLedger.silent(store)));
    }

    @Test
    void eventThatIsWrittenTwice() {
        finds("told twice", PlantedBugs.ledger((store, node) -> BuggyLedger.repeating(store)));
    }

    @Test
    void h6_eventThatWasChanged() {
        finds("was changed after seal", PlantedBugs.audit(rows -> {
            List<AuditRow> changed = new ArrayList<>(rows);
            AuditRow first = changed.get(0);
            changed.set(0, new AuditRow(first.position(), first.at() + 1, first.entry()));
            return changed;
        }));
    }

    @Test
    void d9_grantsUnderOldModes() {
        finds("granted while halted", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                return super.reserve(store().switchboard().modes().version(), asked);
            }
        }));
    }

    @Test
    void d9_transactionsUnderOldModes() {
        finds(
                "the modes had changed",
                PlantedBugs.transactions((store, real) -> new PlantedBugs.IgnoresModes(store, real)));
    }

    @Test
    void stepOfARunThatLostItsRecord() {
        finds(
                "had lost its record",
                PlantedBugs.ledger((store, node) -> BuggyLedger.asking(
                        store,
                        asked -> new Reservation(
                                asked.identity(), asked.header(), asked.payload(), asked.grant(), null, null))));
    }

    @Test
    void a18_caseThatNamesTheKeyOfTheParent() {
        finds("again and again", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            public List<Row> steps(RecordId parent) {
                return super.steps(parent).stream()
                        .map(step -> step.state() == State.COMPLETED
                                ? step
                                : new Row(parent, step.header(), step.status(), step.contents(), step.line()))
                        .toList();
            }
        }));
    }

    @Test
    void a18_interruptedStepThatIsNotReleased() {
        finds("again and again", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                boolean release = move.to() == null && move.from().equals(Transition.RELEASE_STEP.from());
                return release ? new Moved.Applied() : super.move(move);
            }
        }));
    }

    @Test
    void a18_stepThatTookEffectAndIsForgotten() {
        finds("times although it may not be repeated", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                Row row = PlantedBugs.row(store(), move.id());
                boolean payment =
                        row != null && row.isStep() && row.header().key().equals("pay");
                return payment && move.to() == State.COMPLETED
                        ? super.move(new Move(move.id(), move.fence(), move.from(), null, move.change(), List.of()))
                        : super.move(move);
            }
        }));
    }

    @Test
    void a11_leaseByTheClockOfTheNode() {
        finds("before its time", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Row row = PlantedBugs.row(store(), asked.identity().id());
                boolean over = row != null
                        && asked.parent() == null
                        && running(row.status())
                        && row.status().owner() != asked.grant().owner()
                        && row.status().at() <= node.millis();
                if (over) {
                    expire(row);
                }
                return super.reserve(modesVersion, asked);
            }
        }));
    }

    @Test
    void a6_effectOutsideTheTransaction() {
        finds(
                "its effect is there",
                PlantedBugs.transactions((store, real) -> new PlantedBugs.CommitsEffectsApart(real)));
    }

    @Test
    void writeOverAStoredAnswer() {
        finds("R2", PlantedBugs.transactions(PlantedBugs.WritesOver::new));
    }

    @Test
    void moveThatIsAnsweredAndNotWritten() {
        finds("R1", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                Row row = PlantedBugs.row(store(), move.id());
                boolean completes = move.to() == State.COMPLETED
                        && row != null
                        && row.header().parent() == null;
                return completes ? new Moved.Applied() : super.move(move);
            }
        }));
    }
}
