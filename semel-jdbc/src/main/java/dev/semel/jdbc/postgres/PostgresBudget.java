package dev.semel.jdbc.postgres;

import dev.semel.store.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Retries that all nodes together may begin. They are taken before a claim, and what it did not use is given back. */
final class PostgresBudget {
    private static final String HAVE =
            "least(?::double precision, b.tokens + greatest(0, excluded.at - b.at) / 1000.0 * ?::double precision)";

    private static final String TAKE = String.format(Locale.ROOT, """
            INSERT INTO semel_budget AS b (operation, tokens, at, taken)
            VALUES (?, ?::int - least(?::int, ?::int), %1$s, least(?::int, ?::int))
            ON CONFLICT (operation) DO UPDATE SET at = greatest(b.at, excluded.at),
                tokens = %2$s - least(floor(%2$s), ?::int), taken = least(floor(%2$s), ?::int)
            RETURNING taken""", PostgresSql.NOW, HAVE);

    private static final String GIVE_BACK = "UPDATE semel_budget SET tokens = tokens + ?::int WHERE operation = ?";

    private PostgresBudget() {}

    /** @return how many of those asked for may begin */
    static int take(Connection connection, @Nullable Long now, Claim claim, int asked) throws SQLException {
        long rate = claim.amount().budget().perSecond();
        try (PreparedStatement statement = connection.prepareStatement(TAKE)) {
            new PostgresBinder(statement)
                    .text(claim.operation())
                    .number(rate)
                    .number(rate)
                    .number((long) asked)
                    .number(now)
                    .number(rate)
                    .number((long) asked)
                    .number(rate)
                    .number(rate)
                    .number(rate)
                    .number(rate)
                    .number((long) asked)
                    .number(rate)
                    .number(rate)
                    .number((long) asked);
            try (ResultSet taken = statement.executeQuery()) {
                taken.next();
                return taken.getInt(1);
            }
        }
    }

    static void giveBack(Connection connection, String operation, int unused) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(GIVE_BACK)) {
            new PostgresBinder(statement).number((long) unused).text(operation);
            statement.executeUpdate();
        }
    }
}
