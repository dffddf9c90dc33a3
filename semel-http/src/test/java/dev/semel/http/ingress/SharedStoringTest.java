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
    private String locked;
    private boolean threadsAreRefused;
    private boolean answersAreMissing;
    private final SharedStoring<String, String> storing = new SharedStoring<>(this::store, this::start);

    private void start(Runnable work) {
        if (threadsAreRefused) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        threads.add(work);
    }

    private List<String> store(List<String> batch) {
        if (broken != null) {
            throw broken;
        }
        if (batch.contains(bad)) {
            throw new IllegalArgumentException(bad);
        }
        if (batch.contains(locked)) {
            throw new SemelException.OutcomeUnknown(
                    "all but one are stored", new SemelException.Locked(locked + " is locked by another transaction"));
        }
        stored.add(List.copyOf(batch));
        if (answersAreMissing) {
            return List.of();
        }
        return batch.stream().map(each -> "ok " + each).toList();
    }

    private final class Request implements SharedStoring.Waiting<String, String> {
        private final String message;
        private final long bytes;

        Request(String message, long bytes) {
            this.message = message;
            this.bytes = bytes;
        }

        @Override
        public String message() {
            return message;
        }

        @Override
        public Object identity() {
            return message;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void answered(String answer) {
            if (message.equals("dies")) {
                throw new StackOverflowError("simulated");
            }
            answered.add(answer);
        }

        @Override
        public void failed(RuntimeException why) {
            failed.add(message);
        }
    }

    private void occupyLanes() {
        for (int i = 0; i < LANES; i++) {
            assertThat(storing.enter(1)).isEqualTo(Turn.STORE_NOW);
        }
    }

    private void queue(String message) {
        queue(message, 1);
    }

    private void queue(String message, long bytes) {
        assertThat(storing.enter(bytes)).isEqualTo(Turn.QUEUE);
        storing.add(new Request(message, bytes));
    }

    private void assertBothLanesAreThere() {
        occupyLanes();
        assertThat(storing.enter(1)).isEqualTo(Turn.QUEUE);
    }

    private void runThreads() {
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
        }
    }

    @Test
    void requestThatFindsAFreeLaneStoresOnItsOwnThread() {
        occupyLanes();
        assertThat(storing.enter(1)).isEqualTo(Turn.QUEUE);
        storing.giveUp(1);
        storing.leave();
        assertThat(storing.enter(1)).isEqualTo(Turn.STORE_NOW);
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
        assertThat(storing.enter(1)).isEqualTo(Turn.STORE_NOW);
        assertThat(storing.enter(1)).isEqualTo(Turn.QUEUE);
    }

    @Test
    void laneThatBecameFreeBeforeTheRequestWasAddedServesIt() {
        occupyLanes();
        assertThat(storing.enter(1)).isEqualTo(Turn.QUEUE);
        storing.leave();
        storing.leave();
        storing.add(new Request("a", 1));
        runThreads();
        assertThat(answered).containsExactly("ok a");
    }

    @Test
    void answerThatThrowsLosesNeitherTheLaneNorTheOtherAnswers() {
        occupyLanes();
        List.of("a", "dies", "c").forEach(this::queue);
        storing.leave();
        storing.leave();
        runThreads();
        assertThat(answered).containsExactly("ok a", "ok c");
        assertBothLanesAreThere();
    }

    @Test
    void f6_missingAnswersAreNoAcknowledgements() {
        occupyLanes();
        answersAreMissing = true;
        queue("a");
        queue("b");
        storing.leave();
        storing.leave();
        runThreads();
        assertThat(answered).isEmpty();
        assertThat(failed).containsExactly("a", "b");
        assertBothLanesAreThere();
    }

    @Test
    void b8_withoutAThreadThoseThatWaitAreFailedAndTheLanesStay() {
        occupyLanes();
        queue("a");
        queue("b");
        threadsAreRefused = true;
        storing.leave();
        storing.leave();
        assertThat(failed).containsExactly("a", "b");
        assertThat(stored).isEmpty();
        assertBothLanesAreThere();
    }

    @Test
    void duplicatesAreNotInOneBatch() {
        occupyLanes();
        List.of("a", "a", "b").forEach(this::queue);
        storing.leave();
        runThreads();
        assertThat(stored).containsExactly(List.of("a", "b"), List.of("a"));
    }

    @Test
    void batchesAndTheQueueAreBoundedInBytes() {
        occupyLanes();
        queue("a", 5 << 20);
        queue("b", 5 << 20);
        queue("c", 20 << 20);
        assertThat(storing.enter(5 << 20)).isEqualTo(Turn.STORE_ALONE);
        assertThat(storing.enter(1 << 20)).isEqualTo(Turn.QUEUE);
        storing.giveUp(1 << 20);
        storing.leave();
        runThreads();
        assertThat(stored).containsExactly(List.of("a"), List.of("b"), List.of("c"));
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
        assertThat(storing.enter(1)).isEqualTo(Turn.STORE_NOW);
    }

    @Test
    void webhookWhoseKeyIsLockedFailsAlone() {
        occupyLanes();
        locked = "b";
        List.of("a", "b", "c").forEach(this::queue);
        storing.leave();
        storing.leave();
        runThreads();
        assertThat(answered).containsExactly("ok a", "ok c");
        assertThat(failed).containsExactly("b");
        assertBothLanesAreThere();
    }

    @Test
    void fullQueueMakesRequestsStoreOnTheirOwnThreads() {
        occupyLanes();
        int queued = 0;
        Turn turn = storing.enter(1);
        while (turn == Turn.QUEUE) {
            storing.add(new Request("m" + queued++, 1));
            turn = storing.enter(1);
        }
        assertThat(turn).isEqualTo(Turn.STORE_ALONE);
        storing.leave();
        runThreads();
        assertThat(answered).hasSize(queued);
        assertThat(stored).allSatisfy(batch -> assertThat(batch).hasSizeLessThanOrEqualTo(256));
    }
}
