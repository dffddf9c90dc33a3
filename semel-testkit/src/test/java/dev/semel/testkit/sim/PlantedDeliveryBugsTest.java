package dev.semel.testkit.sim;

import static dev.semel.testkit.sim.PlantedBugsTest.finds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.Queue;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bugs of missing deliveries and of sending them again, each found by the simulation. */
class PlantedDeliveryBugsTest {
    private static final int TOLD = 500;

    /** The end of a window and the age of a delivery, told by the clock of the node that looks. */
    private static final StoreUnderTest CLOCK_OF_THE_NODE = new StoreUnderTest() {
        @Override
        public Store beneath(Store shared, TimeSource node) {
            return new ForwardingStore(shared) {
                @Override
                public Switchboard switchboard() {
                    return new ForwardingSwitchboard(delegate().switchboard()) {
                        @Override
                        public Modes modes() {
                            Modes modes = super.modes();
                            return new Modes(modes.version(), modes.settings(), modes.pauses(), node.millis());
                        }
                    };
                }
            };
        }
    };

    @Test
    void a11_windowsByTheClockOfTheNode() {
        finds("its window was never checked", CLOCK_OF_THE_NODE);
    }

    @Test
    void a11_deliveryThatIsSentAgainAfterItWasHandledAndPurged() {
        finds("one delivery came 2 times", CLOCK_OF_THE_NODE);
    }

    /** Only of the provider's channel, so that no other rule can find it. */
    @Test
    void sendThatIsAnsweredAndNotWritten() {
        finds("missing, and the report of their window leaves 0", PlantedBugs.queue(LosesSomeHooks::new));
    }

    private static final class LosesSomeHooks extends ForwardingQueue {
        private int hooks;

        LosesSomeHooks(Store store) {
            super(queue(store));
        }

        private static Queue queue(Store store) {
            return store.queue().orElseThrow();
        }

        @Override
        public List<Enqueued> enqueue(List<Arrival> batch) {
            List<Enqueued> answers = new ArrayList<>();
            for (Arrival arrival : batch) {
                boolean lost = arrival.header().operation().equals(ProviderTraffic.HOOK.name()) && ++hooks % 3 == 0;
                answers.add(
                        lost
                                ? new Enqueued.Made()
                                : super.enqueue(List.of(arrival)).get(0));
            }
            return answers;
        }
    }

    /** Otherwise the bugs above would say little. */
    @Test
    void missingDeliveriesAreSentAndOldOnesAreLeft() {
        Simulation simulation = Simulation.of(StoreUnderTest.NONE);
        StringBuilder stories = new StringBuilder();
        for (long seed = 1; seed <= TOLD; seed++) {
            stories.append(simulation.tell(seed).shown());
        }
        assertThat(stories.toString().contains("missing 2, sent 2, left {}")).isTrue();
        assertThat(stories.toString().contains("sent 0, left {TOO_OLD=")).isTrue();
    }
}
