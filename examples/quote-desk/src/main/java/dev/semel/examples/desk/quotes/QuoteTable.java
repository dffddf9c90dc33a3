package dev.semel.examples.desk.quotes;

import dev.semel.Failure;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.examples.desk.shared.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** The SQL of quotes, inside the transaction of an operation. */
final class QuoteTable {
    private final Connection connection;

    QuoteTable(Connection connection) {
        this.connection = connection;
    }

    static final String FIND = "SELECT * FROM quote WHERE id = ?";

    static Quote read(ResultSet row) throws SQLException {
        Asked asked = new Asked("stored", "none", row.getString("owner"), row.getString("channel"), "none");
        return new Quote(
                row.getString("id"),
                row.getLong("version"),
                Quote.State.valueOf(row.getString("state")),
                new NewQuote(
                        row.getString("customer"),
                        row.getString("product"),
                        row.getInt("quantity"),
                        row.getInt("discount"),
                        asked));
    }

    Quote insert(NewQuote content) throws SQLException {
        long number = Database.all(connection, "SELECT count(*) FROM quote", row -> row.getLong(1))
                        .get(0)
                + 1001;
        Quote quote = new Quote("Q-" + number, 1, Quote.State.DRAFT, content);
        Database.write(
                connection,
                "INSERT INTO quote VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)",
                quote.id(),
                quote.state().name(),
                content.customer(),
                content.product(),
                content.quantity(),
                content.discount(),
                content.asked().channel(),
                content.asked().user());
        return quote;
    }

    /** @throws Failure.Thrown when there is no such quote */
    Quote get(String id) throws SQLException {
        return find(id).orElseThrow(() -> Failure.of(Failure.Category.NOT_FOUND, "There is no quote " + id + ".")
                .asException());
    }

    private Optional<Quote> find(String id) throws SQLException {
        return Database.all(connection, FIND, QuoteTable::read, id).stream().findFirst();
    }

    Quote move(Quote quote, Quote.State state, long version) throws SQLException {
        Database.write(
                connection,
                "UPDATE quote SET state = ?, version = ? WHERE id = ? AND version = ?",
                state.name(),
                version,
                quote.id(),
                quote.version());
        return new Quote(quote.id(), version, state, quote.content());
    }

    void addPrice(Quote quote, Price price, Asked asked) throws SQLException {
        Database.write(
                connection,
                "INSERT INTO price VALUES (?, ?, ?, ?, ?, ?)",
                quote.id(),
                quote.version(),
                price.totalCents(),
                price.needsApproval(),
                price.rule(),
                asked.requestId());
    }

    Approval addApproval(Quote quote) throws SQLException {
        Approval approval = new Approval("A" + quote.id().substring(1) + "-" + quote.version(), quote.id());
        Database.write(connection, "INSERT INTO approval VALUES (?, ?, 'OPEN', NULL)", approval.id(), approval.quote());
        return approval;
    }

    /** Closes an open approval; returns its quote. */
    Quote decide(Decision decision) throws SQLException {
        int changed = Database.write(
                connection,
                "UPDATE approval SET state = ?, decided_by = ? WHERE id = ? AND state = 'OPEN'",
                decision.approve() ? "APPROVED" : "REJECTED",
                decision.asked().user(),
                decision.approval());
        if (changed == 0) {
            throw Failure.of(Failure.Category.BUSINESS_RULE, "This approval was already processed.")
                    .asException();
        }
        String quote = Database.all(
                        connection,
                        "SELECT quote FROM approval WHERE id = ?",
                        row -> row.getString(1),
                        decision.approval())
                .get(0);
        return get(quote);
    }

    /** The history of the business: one line for each change. */
    void addEvent(Quote quote, Action action, Asked asked) throws SQLException {
        Database.write(
                connection,
                "INSERT INTO quote_event VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                quote.id(),
                action.name(),
                quote.version(),
                asked.user(),
                asked.requestId(),
                asked.correlationId());
    }
}
