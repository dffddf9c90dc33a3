package dev.semel.jdbc.postgres;

import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Fills a statement's parameters from left to right; a list becomes one array parameter for {@code unnest}. */
final class PostgresBinder {
    /** Sets the parameters of a statement. */
    @FunctionalInterface
    interface Binding {
        void bind(PostgresBinder binder) throws SQLException;
    }

    private final PreparedStatement statement;
    private int position;

    PostgresBinder(PreparedStatement statement) {
        this.statement = statement;
    }

    PostgresBinder number(@Nullable Long value) throws SQLException {
        if (value == null) {
            statement.setNull(++position, Types.BIGINT);
        } else {
            statement.setLong(++position, value);
        }
        return this;
    }

    PostgresBinder number(long value) throws SQLException {
        statement.setLong(++position, value);
        return this;
    }

    PostgresBinder text(@Nullable String value) throws SQLException {
        statement.setString(++position, value);
        return this;
    }

    PostgresBinder bytes(byte @Nullable [] value) throws SQLException {
        statement.setBytes(++position, value);
        return this;
    }

    <T> PostgresBinder bytes(List<T> items, Function<T, byte @Nullable []> part) throws SQLException {
        byte[][] all = new byte[items.size()][];
        for (int i = 0; i < all.length; i++) {
            all[i] = part.apply(items.get(i));
        }
        return array("bytea", all);
    }

    <T> PostgresBinder texts(List<T> items, Function<T, @Nullable String> part) throws SQLException {
        String[] all = new String[items.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = part.apply(items.get(i));
        }
        return array("text", all);
    }

    <T> PostgresBinder longs(List<T> items, ToLongFunction<T> part) throws SQLException {
        return array("bigint", items.stream().mapToLong(part).toArray());
    }

    <T> PostgresBinder ints(List<T> items, ToIntFunction<T> part) throws SQLException {
        return array("integer", items.stream().mapToInt(part).toArray());
    }

    private PostgresBinder array(String type, Object values) throws SQLException {
        Array array = statement
                .getConnection()
                .unwrap(org.postgresql.PGConnection.class)
                .createArrayOf(type, values);
        statement.setArray(++position, array);
        return this;
    }
}
