package dev.semel.examples.desk.quotes;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.examples.desk.shared.Database;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.Keys;
import java.sql.SQLException;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/** Runs commands, each under its operation key, and remembers them so that a person can have one repeated. */
public final class Commands {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Semel semel;
    private final Database database;

    public Commands(Semel semel, Database database) {
        this.semel = semel;
        this.database = database;
    }

    /** Runs a command once. A second time, by whichever way, it gets the first answer. */
    public Answer<?> run(Command command) throws SQLException {
        return switch (command.action()) {
            case CREATE ->
                run(
                        Quotes.CREATE,
                        command,
                        new NewQuote(
                                command.required("customer"),
                                command.required("product"),
                                Integer.parseInt(command.required("quantity")),
                                Integer.parseInt(command.arguments().getOrDefault("discount", "0")),
                                command.asked()));
            case PRICE -> run(Quotes.PRICE, command, change(command));
            case ROUTE -> run(Quotes.ROUTE, command, change(command));
            case DECIDE ->
                run(
                        Quotes.DECIDE,
                        command,
                        new Decision(
                                aggregate(command), command.required("decision").equals("approve"), command.asked()));
        };
    }

    private <P, R> Answer<R> run(Operation.Atomic<P, R> operation, Command command, P payload) throws SQLException {
        Key key = key(operation, command, payload);
        String record = Identity.of(Tenant.SINGLE, operation.name(), key).id().hex();
        semel.inTransaction(tx -> Database.write(
                tx.connection(),
                "INSERT OR IGNORE INTO command VALUES (?, ?)",
                record,
                JSON.writeValueAsString(command)));
        return semel.run(
                operation,
                Call.of(Tenant.SINGLE, key, payload).withOrigin(command.asked().origin()));
    }

    // region key
    /** The six dimensions. The hash of the payload has the version of its schema in it, and leaves out who asked. */
    static <P> Key key(Operation.Atomic<P, ?> operation, Command command, P payload) {
        return Keys.operation(
                command.asked().source(),
                command.asked().requestId(),
                operation.name(),
                command.target().aggregate(),
                command.target().version(),
                Fingerprints.of(operation.definition(), JSON.writeValueAsBytes(payload))
                        .toString());
    }
    // endregion

    /** The command whose operation has this record, if there is one. */
    public Optional<Command> find(String record) throws SQLException {
        return database.first(
                "SELECT command FROM command WHERE record = ?",
                row -> JSON.readValue(row.getString(1), Command.class),
                record);
    }

    /** A quote as it is now. */
    public Optional<Quote> quote(String id) throws SQLException {
        return database.first(QuoteTable.FIND, QuoteTable::read, id);
    }

    private static Change change(Command command) {
        Long version = command.target().version();
        return new Change(aggregate(command), version == null ? 0 : version, command.asked());
    }

    private static String aggregate(Command command) {
        String aggregate = command.target().aggregate();
        if (aggregate == null) {
            throw new IllegalArgumentException("The command names no quote.");
        }
        return aggregate;
    }
}
