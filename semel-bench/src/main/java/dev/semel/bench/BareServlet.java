package dev.semel.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * What the server is compared with: it reads the body and answers, and stores nothing. Below {@code /api} it is the API behind the
 * gateway: {@code /api/orders} makes one insert in a transaction, {@code /api/instant} answers at once.
 */
final class BareServlet extends HttpServlet {
    static final String TABLE = "CREATE TABLE placed_order (id TEXT NOT NULL PRIMARY KEY, item TEXT NOT NULL)";
    static final String COUNT = "SELECT count(*) FROM placed_order";

    private static final long serialVersionUID = 1;
    private static final String INSERT = "INSERT INTO placed_order (id, item) VALUES (?, ?)";

    private final transient HikariDataSource database;

    BareServlet(String jdbcUrl, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(connections);
        config.setPoolName("semel-bench-api");
        this.database = new HikariDataSource(config);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = request.getInputStream().readAllBytes();
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (!request.getRequestURI().startsWith("/api/")) {
            response.setContentLength(0);
            return;
        }
        String id = UUID.randomUUID().toString();
        if (request.getRequestURI().equals("/api/orders")) {
            insert(id, new String(body, StandardCharsets.UTF_8));
        }
        byte[] answer = ("{\"id\":\"" + id + "\"}").getBytes(StandardCharsets.US_ASCII);
        response.setStatus(HttpServletResponse.SC_CREATED);
        response.setContentType("application/json");
        response.setContentLength(answer.length);
        response.getOutputStream().write(answer);
    }

    private void insert(String id, String item) throws IOException {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, id);
            statement.setString(2, item);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
