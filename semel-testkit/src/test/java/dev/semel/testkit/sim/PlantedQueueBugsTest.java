package dev.semel.testkit.sim;

import static dev.semel.testkit.sim.PlantedBugsTest.finds;

import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Queue;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingTransactions;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Bugs that a queue may have, each found by the simulation. */
class PlantedQueueBugsTest {
    private final Set<RecordId> sent = new HashSet<>();

    @Test
    void d12_doubleClaim() {
        finds(
                "granted again before its time, while IN_PROGRESS",
                PlantedBugs.queue(store -> new BuggyQueue.IgnoresTheState(store, sent)));
    }

    @Test
    void d12_lostClaimThatIsLookedForWithoutItsToken() {
        finds("begun twice under fence", PlantedBugs.queue(store -> new BuggyQueue.ForgetsWhoClaimed(store, sent)));
    }

    /** An external worker asks for what its claim holds before each claim, and so again after a lost reply. */
    @Test
    void d12_claimOfAnExternalWorkerThatIsGivenWhatOthersHold() {
        finds("begun twice under fence", PlantedBugs.queue(store -> new BuggyQueue.GivesWhatOthersHold(store, sent)));
    }

    @Test
    void a15_effectKeptAlthoughAnEarlierTransactionFinishedTheMessage() {
        finds(
                "messages were completed",
                PlantedBugs.driver((store, real) -> new PlantedBugs.TakesAnEarlierFinishForItsOwn(real)));
    }

    @Test
    void d11_textInTheNextBucketStoredAgainWhileItsFirstCopyIsDue() {
        finds(
                "more than one copy",
                PlantedBugs.transactions((store, real) -> new PlantedBugs.OverlooksWhatIsDue(real)));
    }

    @Test
    void d7_laneThatLosesItsHead() {
        finds(
                "it is WAITING and stands at 0",
                PlantedBugs.ledger((store, node) -> BuggyLedger.moving(store, PlantedQueueBugsTest::withoutPromotion)));
    }

    /** The write is slow, too: a sound one would be refused if a worker claims the message meanwhile. */
    @Test
    void d15_cancellationThatDoesNotCheckTheStateInItsWrite() {
        finds(" to DISCARDED", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Moved move(Move move) {
                if (!isCancellation(move)) {
                    return super.move(move);
                }
                sleep(node);
                Row row = PlantedBugs.row(store, move.id());
                long fence = row == null ? move.fence() : row.status().fence();
                return super.move(new Move(move.id(), fence, BuggyLedger.ANY, move.to(), move.change(), move.events()));
            }
        }));
    }

    private static void sleep(TimeSource time) {
        try {
            time.sleep(Duration.ofSeconds(5));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isCancellation(Move move) {
        AuditEntry event = move.event();
        return event != null && event.body() != null && event.body().contains("\"source\":\"cancel\"");
    }

    private static Move withoutPromotion(Move move) {
        Move.Place place = move.change().place();
        return place == null ? move : with(move, move.change().at(new Move.Place(null, place.then())));
    }

    private static Move with(Move move, Move.Change change) {
        return new Move(move.id(), move.fence(), move.from(), move.to(), change, move.events());
    }

    @Test
    void d7_oneWhoWaitsClaimedBeforeItsHead() {
        finds(
                "which is in front of it in its lane",
                PlantedBugs.queue(store -> new BuggyQueue.PassesTheHead(store, sent)));
    }

    @Test
    void d2_lateCommitThatIsSkipped() {
        Map<Store, BuggyQueue.Tickets> drawn = new IdentityHashMap<>();
        finds("is left waiting, and nothing holds it up", new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                BuggyQueue.Tickets tickets = drawn.computeIfAbsent(shared, any -> new BuggyQueue.Tickets());
                Queue queue = new BuggyQueue.ReadsByACursor(shared, tickets);
                return new ForwardingStore(shared) {
                    @Override
                    public Optional<Queue> queue() {
                        return Optional.of(queue);
                    }

                    @Override
                    public Optional<Transactions> transactions() {
                        return delegate().transactions().map(each -> drawingTickets(each, tickets));
                    }
                };
            }
        });
    }

    private static Transactions drawingTickets(Transactions real, BuggyQueue.Tickets tickets) {
        return new ForwardingTransactions(real) {
            @Override
            protected Tx wrap(Tx tx) {
                return new ForwardingTx(tx) {
                    @Override
                    public List<Enqueued> enqueue(List<Arrival> batch) {
                        return tickets.drawn(batch, super.enqueue(batch));
                    }

                    @Override
                    public Optional<List<Enqueued>> enqueueWithCommit(List<Arrival> batch) {
                        return Optional.of(enqueue(batch));
                    }
                };
            }
        };
    }

    @Test
    void d9_claimsUnderOldModes() {
        finds(
                "granted while ",
                PlantedBugs.queue(store -> new ForwardingQueue(store.queue().orElseThrow()) {
                    @Override
                    public Claimed claim(Claim claim) {
                        return super.claim(new Claim(
                                claim.operation(),
                                store.switchboard().modes().version(),
                                claim.grant(),
                                claim.amount(),
                                claim.turns(),
                                claim.takenOver()));
                    }
                }));
    }

    @Test
    void c2_leaseThatIsTakenForRenewed() {
        finds("although its lease was over", asSeenByNodes(ledger -> new ForwardingLedger(ledger) {
            @Override
            public List<Boolean> renew(List<Renewal> batch) {
                return batch.stream().map(each -> true).toList();
            }
        }));
    }

    @Test
    void c5_moveOfALockedRecordThatIsTakenForWritten() {
        finds("a result was given, and the ledger says", asSeenByNodes(ledger -> new ForwardingLedger(ledger) {
            @Override
            public List<Moved> move(List<Move> batch) {
                return super.move(batch).stream()
                        .map(moved -> moved instanceof Moved.Locked ? new Moved.Applied() : moved)
                        .toList();
            }
        }));
    }

    /** The ledger is right, but every node misreads it. */
    private static StoreUnderTest asSeenByNodes(UnaryOperator<Ledger> misreading) {
        return new StoreUnderTest() {
            @Override
            public Store above(Store remote, TimeSource node) {
                Ledger ledger = misreading.apply(remote.ledger());
                return new ForwardingStore(remote) {
                    @Override
                    public Ledger ledger() {
                        return ledger;
                    }
                };
            }
        };
    }

    @Test
    void handBackThatSpendsTheAttempt() {
        finds(
                "is spent",
                PlantedBugs.ledger((store, node) -> BuggyLedger.moving(
                        store,
                        move -> move.to() == State.QUEUED && move.from().contains(State.IN_PROGRESS)
                                ? with(
                                        move,
                                        move.change().counting(move.change().attempt() + 1))
                                : move)));
    }

    @Test
    void d3_claimsThatCountAttempts() {
        finds(
                "a claim counted an attempt that had not begun",
                PlantedBugs.queue(store -> new BuggyQueue.CountsClaims(store, sent)));
    }

    @Test
    void d3_messageThatWasTakenOverBeginsUncounted() {
        finds(
                "its attempt was not counted before",
                PlantedBugs.ledger((store, node) -> BuggyLedger.moving(
                        store,
                        move -> move.to() == State.IN_PROGRESS
                                ? with(move, move.change().counting(-1))
                                : move)));
    }

    @Test
    void deadLetterWithoutASystemError() {
        finds(
                "became FAILED_TERMINAL",
                PlantedBugs.ledger(
                        (store, node) -> BuggyLedger.moving(store, PlantedQueueBugsTest::withItsFirstEventOnly)));
    }

    private static Move withItsFirstEventOnly(Move move) {
        return new Move(move.id(), move.fence(), move.from(), move.to(), move.change(), move.event());
    }

    @Test
    void f6_messageAcceptedBeforeTheCommit() {
        finds(
                "acknowledged, and not in the ledger",
                PlantedBugs.queue(store -> new BuggyQueue.AcknowledgesBeforeCommit(store, sent)));
    }

    @Test
    void a2_endWithoutItsFence() {
        finds(
                "a transaction under another fence",
                PlantedBugs.transactions((store, real) -> new ForwardingTransactions(real) {
                    @Override
                    protected Tx wrap(Tx tx) {
                        return new ForwardingTx(tx) {
                            @Override
                            public List<Moved> move(List<Move> moves) {
                                return super.move(moves.stream()
                                        .map(move -> unfenced(store, move))
                                        .toList());
                            }
                        };
                    }
                }));
    }

    private static Move unfenced(Store store, Move move) {
        Row row = PlantedBugs.row(store, move.id());
        long fence = row == null ? move.fence() : row.status().fence();
        return new Move(move.id(), fence, BuggyLedger.ANY, move.to(), move.change(), move.events());
    }
}
