package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.demo.DeliveryLog.Arrival;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import dev.semel.time.TimeSource;
import org.junit.jupiter.api.Test;

/** The score, and the judgement: each planted fault is found. */
class DeliveryLogTest {
    private final DeliveryLog log = new DeliveryLog("test", TimeSource.system());

    @Test
    void runWithoutFaultsHolds() {
        for (int number = 1; number <= 3; number++) {
            acknowledge(event(number));
            log.acknowledges(event(number), log.asks(event(number)));
            assertThat(deliver(event(number), "key-" + number, number)).isEqualTo(Reception.APPLIED);
            log.left(event(number), "COMPLETED");
        }
        assertThat(deliver(event(3), "key-3", 4)).isEqualTo(Reception.REPEATED);
        Tally tally = log.finalTally();
        assertThat(tally.traffic()).isEqualTo(new Tally.Traffic(6, 3, 3));
        assertThat(tally.outcome()).isEqualTo(new Tally.Outcome(3, 0, 0, 0, 0));
        assertThat(tally.repetitions()).isEqualTo(new Tally.Repetitions(1, 0));
        assertThat(tally.isExactlyOnce()).isTrue();
        log.judge().assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R4, Rule.R7, Rule.R10);
    }

    @Test
    void deliveryWithoutAKeyIsBookedAgainAndCounted() {
        acknowledge(event(1));
        deliver(event(1), null, 1);
        assertThat(deliver(event(1), null, 2)).isEqualTo(Reception.APPLIED);
        assertThat(log.finalTally().outcome().doubled()).isOne();
        assertThat(log.finalTally().isExactlyOnce()).isFalse();
        assertThat(broken(log.judge())).contains(Rule.R2);
    }

    @Test
    void acknowledgedWebhookThatIsNowhereIsLost() {
        acknowledge(event(1));
        acknowledge(event(2));
        deliver(event(1), "key-1", 1);
        log.left(event(1), "COMPLETED");
        assertThat(log.tally().outcome().waiting()).isOne();
        assertThat(log.tally().outcome().lost()).as("it may still come").isZero();
        assertThat(log.isDelivered()).isFalse();
        assertThat(log.finalTally().outcome().lost()).isOne();
        assertThat(broken(log.judge())).containsExactly(Rule.R1);
    }

    @Test
    void whatWasInTheMemoryOfADeadProcessIsLostUnlessItArrives() {
        acknowledge(event(1));
        acknowledge(event(2));
        log.abandonWaiting();
        acknowledge(event(3));
        assertThat(log.tally().outcome()).isEqualTo(new Tally.Outcome(0, 0, 2, 0, 1));
        assertThat(log.isSettled()).isFalse();
        deliver(event(2), null, 0);
        deliver(event(3), null, 0);
        assertThat(log.tally().outcome()).isEqualTo(new Tally.Outcome(2, 0, 1, 0, 0));
        assertThat(log.isSettled()).isTrue();
    }

    @Test
    void unacknowledgedWebhookIsNeitherWaitingNorLost() {
        log.leavesUnanswered(event(1), log.asks(event(1)));
        log.asks(event(1));
        assertThat(log.finalTally().outcome().lost()).isZero();
        assertThat(log.isDelivered()).isTrue();
    }

    @Test
    void changedOrderWithinACustomerIsFound() {
        acknowledge(event(1));
        acknowledge(event(2));
        deliver(event(2), "key-2", 1);
        deliver(event(1), "key-1", 2);
        deliver(new ShopEvent("run", 8, 1), "key-3", 3);
        assertThat(log.finalTally().outcome().outOfOrder()).isOne();
        assertThat(log.finalTally().isExactlyOnce()).isFalse();
        assertThat(broken(log.judge())).contains(Rule.R10);
    }

    @Test
    void oldFenceIsRefusedAndTwoDeliveriesUnderOneFenceAreFound() {
        acknowledge(event(1));
        deliver(event(1), "key-1", 5);
        assertThat(deliver(event(1), "key-1", 4)).isEqualTo(Reception.REFUSED);
        assertThat(log.finalTally().repetitions().refused()).isOne();
        assertThat(log.judge().holds()).isTrue();
        deliver(event(1), "key-1", 5);
        assertThat(broken(log.judge())).containsExactly(Rule.R3);
    }

    @Test
    void webhookThatNeverEndsIsFound() {
        acknowledge(event(1));
        deliver(event(1), "key-1", 1);
        log.left(event(1), "IN_PROGRESS");
        assertThat(broken(log.judge())).containsExactly(Rule.R7);
    }

    @Test
    void bodyThatNobodySentIsFound() {
        acknowledge(event(1));
        log.books(new Arrival(event(1), "key-1", 1, 1, new byte[] {1}));
        assertThat(broken(log.judge())).containsExactly(Rule.R9);
    }

    private static ShopEvent event(int number) {
        return new ShopEvent("run", 7, number);
    }

    private void acknowledge(ShopEvent event) {
        log.acknowledges(event, log.asks(event));
    }

    private Reception deliver(ShopEvent event, String key, long fence) {
        Arrival arrival = new Arrival(event, key, fence, 1, event.body());
        log.arrives(arrival);
        return log.books(arrival);
    }

    private static java.util.List<Rule> broken(Judgement judgement) {
        return judgement.violations().stream()
                .map(Judgement.Violation::rule)
                .distinct()
                .toList();
    }
}
