package dev.semel.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** A plain queue in a table, in place of the libraries, which are not on this class path. */
final class PlainQueue implements ComparedLibrary {
    private final String name;

    /** Its bug. */
    enum Fault {
        NONE,
        LOSES,
        REPEATS
    }

    private final Fault fault;

    PlainQueue(String name, Fault fault) {
        this.name = name;
        this.fault = fault;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String setUp() {
        return "one thread";
    }

    @Override
    public Session open(DataSource database, LongConsumer handler) throws SQLException {
        Opened opened = new Opened(database, handler);
        opened.execute("CREATE TABLE plain (id serial PRIMARY KEY, number int NOT NULL)");
        return opened;
    }

    private final class Opened implements Session {
        private final DataSource database;
        private final LongConsumer handler;
        private final Thread worker = new Thread(this::work, "plain-queue");
        private volatile boolean ended;

        Opened(DataSource database, LongConsumer handler) {
            this.database = database;
            this.handler = handler;
        }

        void execute(String sql) throws SQLException {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void load(int from, int count) throws SQLException {
            execute("INSERT INTO plain (number) SELECT generate_series(" + from + ", " + (from + count - 1) + ")");
        }

        @Override
        public void start() {
            worker.start();
        }

        private void work() {
            try (Connection connection = database.getConnection();
                    PreparedStatement next = connection.prepareStatement("DELETE FROM plain WHERE id ="
                            + " (SELECT id FROM plain ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING number")) {
                while (!ended) {
                    try (ResultSet found = next.executeQuery()) {
                        if (found.next()) {
                            handle(found.getInt(1));
                        }
                    }
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private void handle(int number) {
            if (number == 1 && fault == Fault.LOSES) {
                handler.accept(0);
                return;
            }
            handler.accept(number);
            if (number == 0 && fault == Fault.REPEATS) {
                handler.accept(0);
            }
        }

        @Override
        public void send(int number) throws SQLException {
            load(number, 1);
        }

        @Override
        public void close() {
            ended = true;
            try {
                worker.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
