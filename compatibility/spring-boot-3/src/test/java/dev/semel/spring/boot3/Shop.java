package dev.semel.spring.boot3;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.spring.Idempotent;
import dev.semel.spring.SemelChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What an application does with the starter: safe requests, methods that run once, handlers of a channel. */
@RestController
public class Shop {
    static final Channel.Atomic<Mail> MAIL = Channel.atomic("mail", Mail.class);

    public record Order(String id, String fault) {}

    public record Receipt(String order, int number) {}

    public record Mail(String order) {}

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final AtomicContext tx;
    private final AtomicInteger runs = new AtomicInteger();

    public Shop(JdbcTemplate jdbc, TransactionTemplate transaction, AtomicContext tx) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.tx = tx;
    }

    int rows(String table, String id) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM " + table + " WHERE id = ?", Integer.class, id);
        return count == null ? 0 : count;
    }

    /** At the level marker. */
    @PostMapping("/orders")
    public Receipt place(@RequestBody Order order) {
        transaction.executeWithoutResult(status -> insert("orders", order.id()));
        if (order.fault().equals("after the commit")) {
            throw new IllegalStateException(order.fault());
        }
        return new Receipt(order.id(), runs.incrementAndGet());
    }

    @PostMapping("/spans")
    @Idempotent(level = Idempotent.Level.SPAN)
    public Receipt span(@RequestBody Order order) {
        insert("orders", order.id());
        int number = runs.incrementAndGet();
        if (order.fault().equals("once") && rows("payment", order.id()) == 0) {
            throw new IllegalStateException(order.fault());
        }
        return new Receipt(order.id(), number);
    }

    @Idempotent(value = "charge", key = "#order.id")
    @Transactional
    public Receipt charge(Order order) {
        insert("payment", order.id());
        tx.send(MAIL, Key.of(order.id()), new Mail(order.id()));
        return new Receipt(order.id(), runs.incrementAndGet());
    }

    @SemelChannel("mail")
    @Transactional
    public void deliver(Mail mail) {
        insert("mail", mail.order());
    }

    void insert(String table, String id) {
        jdbc.update("INSERT INTO " + table + " (id) VALUES (?)", id);
    }
}
