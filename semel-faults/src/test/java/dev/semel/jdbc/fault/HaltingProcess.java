package dev.semel.jdbc.fault;

import dev.semel.Semel;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.sqlite.SqliteTap;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process that makes one call on SQLite and ends in the middle of it, in place of a given statement. */
public final class HaltingProcess {
    /** The exit code of a process that came to the statement. */
    static final int HALTED = 42;

    private HaltingProcess() {}

    static List<String> arguments(WorkerProcess.Order order, WorkKind work, int statement) {
        List<String> arguments = new ArrayList<>(order.arguments());
        arguments.add(work.name());
        arguments.add(Integer.toString(statement));
        return arguments;
    }

    /** Nothing runs in the background, so that the statements are those of the call. */
    public static void main(String[] arguments) throws Exception {
        WorkerProcess.Order order = WorkerProcess.Order.of(arguments);
        WorkKind work = WorkKind.valueOf(arguments[arguments.length - 2]);
        int statement = Integer.parseInt(arguments[arguments.length - 1]);
        SqliteTap tap = SqliteFaults.haltAt(statement).before(order.flaw().tap());
        try (History history = History.toFile(order.process(), TimeSource.system(), order.history());
                Semel semel = EngineSettings.on(SqliteTap.open(order.place().store(), tap))
                        .withPolicy(WorkKind.POLICY)
                        .withoutBackground()
                        .open();
                ReceiverDatabase outside = new ReceiverDatabase(order.place())) {
            RecordingCaller caller = new RecordingCaller(semel, outside, history, order);
            caller.ask(new WorkKind.Item(work, "k" + statement), Duration.ZERO);
        }
    }
}
