package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** A controller for tests: each of its methods pays, and fails where the order's text says so. */
@RestController
public class PaymentController {
    public record Order(String id, String fault) {}

    public record Receipt(String order, int number) {}

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final TransactionTemplate apart;
    final AtomicInteger runs = new AtomicInteger();
    final AtomicInteger afterwards = new AtomicInteger();

    public PaymentController(JdbcTemplate jdbc, PlatformTransactionManager manager) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(manager);
        this.apart = new TransactionTemplate(manager);
        this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    int paid(String order) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM payment WHERE order_id = ?", Integer.class, order);
        return count == null ? 0 : count;
    }

    private void pay(String order) {
        jdbc.update("INSERT INTO payment (order_id) VALUES (?)", order);
    }

    private static void failIf(Order order, String fault) {
        if (order.fault().equals(fault)) {
            throw new IllegalStateException(fault);
        }
    }

    /** At the configured level, which is marker. */
    @PostMapping("/orders")
    public ResponseEntity<Receipt> order(@RequestBody Order order) {
        int number = runs.incrementAndGet();
        IdempotentExchange.current().orElseThrow().afterFirstCommit(afterwards::incrementAndGet);
        transaction.executeWithoutResult(status -> {
            pay(order.id());
            failIf(order, number == 1 ? "before the commit, once" : "never");
        });
        failIf(order, "after the commit");
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(new Receipt(order.id(), number));
    }

    /** Something is committed apart before the effect fails. */
    @PostMapping("/orders/{id}/apart")
    public Receipt apart(@PathVariable String id) {
        int number = runs.incrementAndGet();
        transaction.executeWithoutResult(status -> {
            apart.executeWithoutResult(inner -> pay(id + "-log"));
            pay(id);
            failIf(new Order(id, number == 1 ? "late" : ""), "late");
        });
        return new Receipt(id, number);
    }

    @PostMapping("/spans")
    @Idempotent(level = Idempotent.Level.SPAN)
    public Receipt span(@RequestBody Order order) {
        int number = runs.incrementAndGet();
        pay(order.id());
        failIf(order, number == 1 ? "once" : "never");
        if (order.fault().equals("condemned")) {
            try {
                transaction.executeWithoutResult(status -> failIf(order, "condemned"));
            } catch (IllegalStateException e) {
                return new Receipt(order.id(), number);
            }
        }
        return new Receipt(order.id(), number);
    }

    @PostMapping("/plain")
    @Idempotent(level = Idempotent.Level.PLAIN)
    public Receipt plain(@RequestBody Order order) {
        pay(order.id());
        failIf(order, "anyway");
        return new Receipt(order.id(), runs.incrementAndGet());
    }

    @PostMapping("/later")
    public Callable<String> later(@RequestBody Order order) {
        return () -> {
            pay(order.id());
            return order.id() + " " + runs.incrementAndGet();
        };
    }

    @PostMapping("/free")
    @Idempotent(header = Idempotent.Header.OFF)
    public int free() {
        return runs.incrementAndGet();
    }

    @GetMapping("/orders/{id}")
    public int get(@PathVariable String id) {
        return paid(id);
    }

    @DeleteMapping("/orders/{id}")
    public void delete(@PathVariable String id) {
        pay("deleted-" + id);
    }
}
