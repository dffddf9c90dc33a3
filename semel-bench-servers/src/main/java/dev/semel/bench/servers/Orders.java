package dev.semel.bench.servers;

import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The one insert. */
@Service
class Orders {
    private static final String TABLE =
            "CREATE TABLE IF NOT EXISTS placed_order (id TEXT PRIMARY KEY, item TEXT NOT NULL, amount INTEGER NOT NULL)";
    private static final String INSERT = "INSERT INTO placed_order (id, item, amount) VALUES (:id, :item, :amount)";

    private final JdbcClient jdbc;

    Orders(JdbcClient jdbc) {
        this.jdbc = jdbc;
        jdbc.sql(TABLE).update();
    }

    record Draft(String item, int amount) {}

    record Order(String id, String item, int amount) {}

    @Transactional
    public Order place(Draft draft) {
        Order placed = new Order(UUID.randomUUID().toString(), draft.item(), draft.amount());
        jdbc.sql(INSERT)
                .param("id", placed.id())
                .param("item", placed.item())
                .param("amount", placed.amount())
                .update();
        return placed;
    }
}
