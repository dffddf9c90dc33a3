package dev.semel.spring.test.shop;

import dev.semel.LeasedContext;
import dev.semel.spring.Idempotent;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

@Repository
class JdbcOrderBook implements OrderBook {
    private final JdbcTemplate jdbc;

    JdbcOrderBook(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    @Transactional
    public void add(Order order) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", order.id());
        if (order.amount() < 0) {
            throw new IllegalArgumentException("negative amount");
        }
    }

    @Idempotent(value = "reorder", key = "#order.id")
    @Transactional
    public int reorder(Order order) {
        jdbc.update("INSERT INTO orders (id) VALUES (?)", order.id());
        return order.amount();
    }

    @Idempotent(value = "announce", key = "#order.id", form = Idempotent.Form.LEASED)
    public String announce(Order order, @Nullable LeasedContext run) {
        return "announced";
    }
}
