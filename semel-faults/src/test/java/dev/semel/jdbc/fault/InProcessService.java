package dev.semel.jdbc.fault;

import dev.semel.Answer;
import dev.semel.Semel;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A service inside the test's own process. */
final class InProcessService implements AutoCloseable {
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final History history;
    private final Semel semel;
    private final ReceiverDatabase outside;
    private final RecordingCaller caller;

    InProcessService(RunDatabases place, Path directory, String name) throws Exception {
        this(place, directory, name, ServiceBug.NONE);
    }

    InProcessService(RunDatabases place, Path directory, String name, ServiceBug flaw) throws Exception {
        this(place, directory, name, flaw, flaw.open(place));
    }

    /** On an engine that it closes. */
    InProcessService(RunDatabases place, Path directory, String name, ServiceBug flaw, Semel semel)
            throws IOException, SQLException {
        Path file = directory.resolve(name + ".history");
        history = History.toFile(name, TimeSource.system(), file);
        this.semel = semel;
        outside = new ReceiverDatabase(place);
        WorkerProcess.Order.Range nothing = new WorkerProcess.Order.Range(0, 0, 1, 0);
        caller =
                new RecordingCaller(semel, outside, history, new WorkerProcess.Order(place, file, name, nothing, flaw));
    }

    @Nullable
    Answer<byte[]> ask(WorkKind work, String key) {
        return caller.ask(new WorkKind.Item(work, key), Duration.ZERO);
    }

    /** Asks until there is an answer that does not change any more. */
    Answer<byte[]> askUntilFinal(WorkKind.Item item) {
        long end = System.nanoTime() + BOUND.toNanos();
        Answer<byte[]> answer = null;
        while (answer == null || !(answer.isResult() || answer instanceof Answer.Unknown)) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError(item.record() + " has no final answer after " + BOUND + ": " + answer);
            }
            answer = caller.ask(item, Duration.ofSeconds(3));
        }
        return answer;
    }

    @Override
    public void close() throws IOException, SQLException {
        outside.close();
        semel.close();
        history.close();
    }
}
