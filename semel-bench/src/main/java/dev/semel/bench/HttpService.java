package dev.semel.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The services that are measured, in this order, and what one POST of each looks like. */
enum HttpService {
    /** The example's: who calls is looked up, and a project and its trail are written in a transaction. */
    PLANNER(
            "planner",
            "/v1/projects",
            "Authorization: Bearer bench\r\n",
            "{\"name\":\"Apollo\"}",
            "SELECT count(*) FROM project") {
        @Override
        List<HttpServer.Level> levels() {
            return List.of(HttpServer.Level.SPAN);
        }

        @Override
        List<HttpServer.Level> byHand() {
            return List.of();
        }

        @Override
        void admit(Statement statement) throws SQLException {
            statement.execute("INSERT INTO organisation (id, name) VALUES ('bench', 'Bench')");
            statement.execute("INSERT INTO access_token (hash, organisation, person, role, per_minute)"
                    + " VALUES (encode(sha256('bench'), 'hex'), 'bench', 'ada', 'PLANNER', 2000000000)");
        }
    },

    /** One insert in a transaction, and nothing else. The targets apply to it. */
    ORDERS("orders", "/orders", "", "{\"item\":\"book\",\"amount\":42}", "SELECT count(*) FROM placed_order") {
        @Override
        List<HttpServer.Level> levels() {
            return List.of(HttpServer.Level.SPAN, HttpServer.Level.MARKER);
        }

        @Override
        List<HttpServer.Level> byHand() {
            return List.of(HttpServer.Level.SPAN_BY_HAND, HttpServer.Level.MARKER_BY_HAND);
        }

        @Override
        void admit(Statement statement) {
            // Nobody is asked who they are.
        }
    };

    private final String label;
    private final String path;
    private final String headers;
    private final String body;
    private final String count;

    HttpService(String label, String path, String headers, String body, String count) {
        this.label = label;
        this.path = path;
        this.headers = headers;
        this.body = body;
        this.count = count;
    }

    String label() {
        return label;
    }

    HttpForm form() {
        return new HttpForm(path, headers, body);
    }

    /** The levels that are measured besides bare. */
    abstract List<HttpServer.Level> levels();

    /** Those whose statements are measured without the filter, to see what the filter adds to them. */
    abstract List<HttpServer.Level> byHand();

    /** Lets the bench in, once the service has made its tables. */
    abstract void admit(Statement statement) throws SQLException;

    /** How often the POST took effect. */
    long effects(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(count)) {
            found.next();
            return found.getLong(1);
        }
    }
}
