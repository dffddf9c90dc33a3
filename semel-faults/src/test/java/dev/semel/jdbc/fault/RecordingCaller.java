package dev.semel.jdbc.fault;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.History;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes calls and records their answers. Thread-safe. */
final class RecordingCaller {
    private final Semel semel;
    private final ReceiverDatabase outside;
    private final History history;
    private final WorkerProcess.Order order;

    RecordingCaller(Semel semel, ReceiverDatabase outside, History history, WorkerProcess.Order order) {
        this.semel = semel;
        this.outside = outside;
        this.history = history;
        this.order = order;
    }

    /** The answer, or nothing when the store failed. */
    @Nullable
    Answer<byte[]> ask(WorkKind.Item item, Duration patience) {
        String record = item.record();
        long call = history.invoke(record, WorkKind.bytes(item.payload()));
        Run run = new Run(item, call);
        try {
            Answer<byte[]> answer = run.perform(patience);
            history.end(record, call, ending(answer), Grant.NONE, answer.isResult() ? answer.orThrow() : null);
            return answer;
        } catch (SemelException.StoreUnavailable e) {
            boolean nothingRan = item.work() == WorkKind.PAY || !run.started;
            history.end(record, call, nothingRan ? Ending.FAIL : Ending.UNKNOWN, Grant.NONE, null);
            return null;
        } catch (SemelException.OutcomeUnknown e) {
            history.end(record, call, Ending.UNKNOWN, Grant.NONE, null);
            return null;
        }
    }

    private static Ending ending(Answer<?> answer) {
        if (answer instanceof Answer.Executed) {
            return Ending.EXECUTED;
        } else if (answer instanceof Answer.Replayed) {
            return Ending.REPLAYED;
        } else if (answer instanceof Answer.Failed) {
            return Ending.FAILED;
        } else if (answer instanceof Answer.Unknown) {
            return Ending.UNKNOWN;
        } else if (answer instanceof Answer.InProgress || answer instanceof Answer.RetryLater) {
            return Ending.BUSY;
        }
        throw new IllegalStateException("Nothing here leads to the answer " + answer);
    }

    static void insert(Connection connection, WorkKind.Item item, byte[] result) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO applied (record, payload, result) VALUES (?, ?, ?)")) {
            insert.setString(1, item.record());
            insert.setString(2, item.payload());
            insert.setString(3, new String(result, java.nio.charset.StandardCharsets.UTF_8));
            insert.executeUpdate();
        }
    }

    private final class Run {
        private final WorkKind.Item item;
        private final long call;
        private final byte[] result;
        private volatile boolean started;

        Run(WorkKind.Item item, long call) {
            this.item = item;
            this.call = call;
            this.result = WorkKind.bytes(item.record() + " by " + order.process() + "/" + call);
        }

        Answer<byte[]> perform(Duration patience) {
            Call<String> asked =
                    Call.of(WorkKind.TENANT, Key.of(item.key()), item.payload()).withPatience(patience);
            return switch (item.work()) {
                case PAY ->
                    semel.run(WorkKind.PAYING, asked, (payload, tx) -> {
                        order.flaw().pay(tx.connection(), order.place(), item, result);
                        order.flaw()
                                .beforeCommit(
                                        call,
                                        () -> history.end(item.record(), call, Ending.EXECUTED, Grant.NONE, result));
                        return result;
                    });
                case NOTIFY ->
                    semel.run(WorkKind.NOTIFYING, asked, (payload, run) -> {
                        begin(run.fence(), run.attempt());
                        Grant grant = new Grant(run.fence(), run.attempt());
                        outside.receive(new ReceiverDatabase.Delivery(item.record(), item.payload(), grant, null));
                        return result;
                    });
                case PRINT ->
                    semel.run(WorkKind.PRINTING, asked, (payload, run) -> {
                        begin(run.fence(), run.attempt());
                        outside.print(item);
                        return result;
                    });
            };
        }

        private void begin(long fence, int attempt) {
            started = true;
            history.start(item.record(), call, fence, attempt);
        }
    }
}
