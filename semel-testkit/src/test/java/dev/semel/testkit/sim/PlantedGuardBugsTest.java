package dev.semel.testkit.sim;

import static dev.semel.testkit.sim.PlantedBugsTest.finds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.store.Header;
import dev.semel.store.Permits;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingPermits;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.time.TimeSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Bugs of rate limits and breakers, each found by the simulation. */
class PlantedGuardBugsTest {
    private static final int TOLD = 200;

    private static Store withPermits(Store store, UnaryOperator<Permits> bug) {
        return new ForwardingStore(store) {
            @Override
            public Optional<Permits> permits() {
                return delegate().permits().map(bug);
            }
        };
    }

    @Test
    void permitThatTheStoreGivesAndDoesNotCount() {
        finds("and the limit allows", new StoreUnderTest() {
            @Override
            public Store beneath(Store shared, TimeSource node) {
                return withPermits(shared, permits -> new ForwardingPermits(permits) {
                    @Override
                    public Taken take(Take take) {
                        Taken full = super.take(
                                new Take(take.operation(), take.tenant(), take.stepNanos(), take.burst(), 0, false));
                        return new Taken(take.wanted(), full.usedUntil(), 0);
                    }
                });
            }
        });
    }

    @Test
    void permitThatIsUsedTwice() {
        finds("calls were admitted, and the store gave", new StoreUnderTest() {
            @Override
            public Store above(Store remote, TimeSource node) {
                return withPermits(remote, permits -> new ForwardingPermits(permits) {
                    @Override
                    public Taken take(Take take) {
                        Taken taken = super.take(take);
                        return new Taken(2 * taken.permits(), taken.usedUntil(), taken.waitNanos());
                    }
                });
            }
        });
    }

    /** A call that finds its breaker open looks up whether there is an answer: it must not take the record for that. */
    @Test
    void openBreakerThatSpendsAnAttempt() {
        finds("granted to a call that only looked it up", PlantedBugs.ledger((store, node) -> new BuggyLedger(store) {
            @Override
            Reserved reserve(long modesVersion, Reservation asked) {
                Header header = asked.header();
                var modes = store().switchboard().modes();
                boolean isLive = modes.of(header.tenant(), header.operation()) == Mode.LIVE;
                return super.reserve(modesVersion < 0 && isLive ? modes.version() : modesVersion, asked);
            }
        }));
    }

    /** Otherwise the bugs above would say little. */
    @Test
    void callsAreOverTheirLimitsAndFindOpenBreakers() {
        Simulation simulation = Simulation.of(StoreUnderTest.NONE);
        StringBuilder stories = new StringBuilder();
        for (long seed = 1; seed <= TOLD; seed++) {
            stories.append(simulation.tell(seed).shown());
        }
        assertThat(stories.toString().contains("is over its rate limit")).isTrue();
        assertThat(stories.toString().contains("finds its breaker open")).isTrue();
    }
}
