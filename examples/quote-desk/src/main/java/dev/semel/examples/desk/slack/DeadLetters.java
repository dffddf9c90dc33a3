package dev.semel.examples.desk.slack;

import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays.ReplayOutcome;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.nio.file.Path;
import java.util.List;

/** Replays dead letters for people in Slack, as {@code semel dead replay} does for operators. */
public final class DeadLetters implements AutoCloseable {
    private final Store store;
    private final Operator operator;

    /** Opens the ledger of a desk. */
    public DeadLetters(Path file) {
        store = Stores.open("sqlite:" + file, StoreProvider.Options.EXISTING);
        operator = Operator.on(store);
    }

    /** Sends a dead letter to its handler again, audited; says in words what happened. */
    public String replay(String record, String user) {
        List<Row> found = operator.find(record);
        ReplayOutcome outcome = found.size() == 1
                ? operator.replay(found.get(0).id(), new Warrant(user, "retried in Slack"))
                : ReplayOutcome.ABSENT;
        return switch (outcome) {
            case DONE -> "It is being tried again.";
            case ALREADY -> "It is being tried again already.";
            case ABSENT -> "Nothing is known of this; it may be too long ago.";
            case REFUSED -> "It cannot be tried again now; check its status.";
        };
    }

    @Override
    public void close() {
        store.close();
    }
}
