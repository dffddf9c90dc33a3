package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.execution.GatewayRuns;
import dev.semel.execution.Settled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two engines on one file, as two processes have it: a handler of the one holds the file's write lock. */
@Timeout(300)
class SqliteTwoEnginesTest {
    private static final Operation.Atomic<String, String> CHARGE =
            Operation.atomic("charge", String.class, String.class);

    private static final Operation.Atomic<byte[], byte[]> EXCHANGE =
            Operation.atomic("exchange", byte[].class, byte[].class);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @TempDir
    private Path directory;

    private Engine first;
    private Engine second;

    @BeforeEach
    void open() {
        Path file = directory.resolve("semel.db");
        first = engine(file);
        second = engine(file);
    }

    private static Engine engine(Path file) {
        return EngineSettings.on(SqliteFixture.open(file)).withoutBackground().open();
    }

    @AfterEach
    void close() {
        goOn.countDown();
        threads.shutdown();
        first.close();
        second.close();
    }

    private static Call<String> call(String key) {
        return Call.of(Tenant.of("acme"), Key.of(key), "book");
    }

    /** The first engine's handler runs until it is released. */
    private Future<Answer<String>> heldHandler() throws InterruptedException {
        Future<Answer<String>> held = threads.submit(() -> first.run(CHARGE, call("k"), (payload, tx) -> {
            inside.countDown();
            goOn.await();
            return "first";
        }));
        inside.await();
        return held;
    }

    @Test
    void a1_duplicateOnAnotherEngineGetsInProgressWhileTheFirstRuns() throws Exception {
        Future<Answer<String>> held = heldHandler();
        assertThat(second.run(CHARGE, call("k"), (payload, tx) -> "second")).isInstanceOf(Answer.InProgress.class);
        goOn.countDown();
        assertThat(held.get(120, TimeUnit.SECONDS)).isInstanceOf(Answer.Executed.class);
        Answer<String> after = second.run(CHARGE, call("k"), (payload, tx) -> "second");
        assertThat(after).isInstanceOf(Answer.Replayed.class);
        assertThat(after.orThrow()).isEqualTo("first");
    }

    @Test
    void a1_duplicateWithPatienceWaitsForTheHandlerOfTheOtherEngine() throws Exception {
        Future<Answer<String>> held = heldHandler();
        CountDownLatch refused = new CountDownLatch(1);
        Future<Answer<String>> patient = threads.submit(() -> {
            refused.countDown();
            return second.run(CHARGE, call("k").withPatience(Duration.ofSeconds(90)), (payload, tx) -> "second");
        });
        refused.await();
        // Longer than the file's lock is waited for: by then it has been answered "in progress" once by the store.
        assertThat(second.run(CHARGE, call("other"), (payload, tx) -> "other")).isInstanceOf(Answer.InProgress.class);
        goOn.countDown();
        assertThat(held.get(120, TimeUnit.SECONDS)).isInstanceOf(Answer.Executed.class);
        assertThat(patient.get(120, TimeUnit.SECONDS)).isInstanceOf(Answer.Replayed.class);
    }

    @Test
    void a1_committedResultIsReplayedWhileAnotherEngineHoldsTheFile() throws Exception {
        assertThat(first.run(CHARGE, call("done"), (payload, tx) -> "stored")).isInstanceOf(Answer.Executed.class);
        Future<Answer<String>> held = heldHandler();
        Answer<String> replayed = second.run(CHARGE, call("done"), (payload, tx) -> "again");
        assertThat(replayed).isInstanceOf(Answer.Replayed.class);
        goOn.countDown();
        held.get(120, TimeUnit.SECONDS);
    }

    private static Settled exchange(Engine on, String key, String answer) {
        Call<byte[]> call = Call.of(Tenant.of("acme"), Key.of(key), new byte[] {1});
        return on.gatewayRuns()
                .within(
                        EXCHANGE,
                        call,
                        tx -> new GatewayRuns.GatewayEnd.AnswerAndEffect(answer.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a1_gatewaysGetCommittedAnswersOrInProgressWhileAnotherEngineHoldsTheFile() throws Exception {
        assertThat(exchange(first, "done", "stored")).isInstanceOf(Settled.Recorded.class);
        Future<Answer<String>> held = heldHandler();
        Answer<byte[]> replayed = ((Settled.Answered) exchange(second, "done", "again")).answer();
        assertThat(replayed).isInstanceOf(Answer.Replayed.class);
        assertThat(replayed.orThrow()).asString(StandardCharsets.UTF_8).isEqualTo("stored");
        assertThat(((Settled.Answered) exchange(second, "other", "ran")).answer())
                .isInstanceOf(Answer.InProgress.class);
        goOn.countDown();
        held.get(120, TimeUnit.SECONDS);
        assertThat(exchange(second, "other", "ran")).isInstanceOf(Settled.Recorded.class);
    }

    @Test
    void otherWritesHearThatTheFileIsLockedAndMayBeRepeated() throws Exception {
        Future<Answer<String>> held = heldHandler();
        Operation.Leased<String, String> leased = Operation.leased("refund", String.class, String.class);
        Exception thrown = null;
        try {
            second.run(leased, call("l"), (payload, run) -> "ran");
        } catch (SemelException.StoreUnavailable e) {
            thrown = e;
        }
        assertThat(thrown).isInstanceOf(SemelException.Locked.class).hasMessageContaining("another process holds");
        goOn.countDown();
        held.get(120, TimeUnit.SECONDS);
        assertThat(second.run(leased, call("l"), (payload, run) -> "ran")).isInstanceOf(Answer.Executed.class);
    }
}
