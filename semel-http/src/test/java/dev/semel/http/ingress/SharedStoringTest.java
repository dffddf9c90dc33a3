package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException;
import dev.semel.http.ingress.SharedStoring.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who stores what when many webhooks arrive at once. Threads of the container are started by the test. */
class SharedStoringTest {
    private static final int LANES = 2;

    private final List<List<String>> stored = new ArrayList<>();
    private final List<String> answered = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private RuntimeException broken;
    private String bad;
    private final SharedStoring<String, String> storing = new SharedStoring<>(this::store);

    private List<String> store(List<String> batch) {
        if (broken != null) {
            throw broken;
        }
        if (batch.contains(bad)) {
            throw new IllegalArgumentException(bad);
        }
        stored.add(List.copyOf(batch));
        return batch.stream().map(each -> "ok " + each).toList();
    }

    private final class Request implements SharedStoring.Waiting<String, String> {
        private final String message;
        private final boolean ended;

        Request(String message, boolean ended) {
            this.message = message;
            this.ended = ended;
        }

        @Override
        public String message() {
            return message;
        }

        @Override
        public void answered(String answer) {
            answered.add(answer);
        }

        @Override
        public void failed(RuntimeException why) {
            failed.add(message);
        }

        @Override
        public void start(Runnable work) {
            if (ended) {
                throw new IllegalStateException("the request has timed out");
            }
            threads.add(work);
        }
    }

    private void occupyLanes() {
        for (int i = 0; i < LANES; i++) {
            assertThat(storing.enter()).isEqualTo(Turn.STORE_NOW);
        }
    }

    private void queue(String message) {
        assertThat(storing.enter()).isEqualTo(Turn.QUEUE);
        storing.add(new Request(message, false));
    }

    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
        }
    }

    @Test
    void requestThatFindsAFreeLaneStoresOnItsOwnThread() {
        occupyLanes();
        assertThat(storing.enter()).isEqualTo(Turn.QUEUE);
        storing.giveUp();
        storing.leave();
        assertThat(storing.enter()).isEqualTo(Turn.STORE_NOW);
        assertThat(threads).isEmpty();
    }

    @Test
    void requestsThatWaitAreStoredTogetherInTheirOrder() {
        occupyLanes();
        queue("a");
        queue("b");
        queue("c");
        assertThat(threads).isEmpty();
        storing.leave();
        runThreads();
        assertThat(stored).containsExactly(List.of("a", "b", "c"));
        assertThat(answered).containsExactly("ok a", "ok b", "ok c");
        assertThat(storing.enter()).isEqualTo(Turn.STORE_NOW);
        assertThat(storing.enter()).isEqualTo(Turn.QUEUE);
    }

    @Test
    void laneThatBecameFreeBeforeTheRequestWasAddedServesIt() {
        occupyLanes();
        assertThat(storing.enter()).isEqualTo(Turn.QUEUE);
        storing.leave();
        storing.leave();
        storing.add(new Request("a", false));
        runThreads();
        assertThat(answered).containsExactly("ok a");
    }

    @Test
    void requestThatTimedOutDoesNotLoseTheLane() {
        occupyLanes();
        assertThat(storing.enter()).isEqualTo(Turn.QUEUE);
        storing.add(new Request("gone", true));
        queue("a");
        storing.leave();
        assertThat(answered).containsExactly("ok gone", "ok a");
        assertThat(storing.enter()).isEqualTo(Turn.STORE_NOW);
    }

    @Test
    void d16_oneBadWebhookFailsAlone() {
        occupyLanes();
        bad = "b";
        List.of("a", "b", "c").forEach(this::queue);
        storing.leave();
        runThreads();
        assertThat(answered).containsExactly("ok a", "ok c");
        assertThat(failed).containsExactly("b");
    }

    @Test
    void storeThatFailsFailsAllOfTheBatchAndTheLaneGoesOn() {
        occupyLanes();
        broken = new SemelException.StoreUnavailable("down");
        queue("a");
        queue("b");
        storing.leave();
        runThreads();
        assertThat(failed).containsExactly("a", "b");
        broken = null;
        assertThat(storing.enter()).isEqualTo(Turn.STORE_NOW);
    }

    @Test
    void fullQueueMakesRequestsStoreOnTheirOwnThreads() {
        occupyLanes();
        int queued = 0;
        Turn turn = storing.enter();
        while (turn == Turn.QUEUE) {
            storing.add(new Request("m" + queued++, false));
            turn = storing.enter();
        }
        assertThat(turn).isEqualTo(Turn.STORE_ALONE);
        storing.leave();
        runThreads();
        assertThat(answered).hasSize(queued);
        assertThat(stored).allSatisfy(batch -> assertThat(batch).hasSizeLessThanOrEqualTo(256));
    }
}
