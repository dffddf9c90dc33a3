package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.LeasedContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** A service whose methods are run once. What it does is counted in the database, and how often it runs here. */
public class Shop {
    static final Channel.Atomic<Mail> MAIL = Channel.atomic("mail", Mail.class);

    public record Order(String id, long cents) {}

    public record Receipt(String order, int number) {}

    public record Mail(String order, String text) {}

    private final JdbcTemplate jdbc;
    final AtomicInteger runs = new AtomicInteger();

    @Nullable
    Callable<?> inside;

    public Shop(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    int paid(String order) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM payment WHERE order_id = ?", Integer.class, order);
        return count == null ? 0 : count;
    }

    void pay(String order) {
        jdbc.update("INSERT INTO payment (order_id) VALUES (?)", order);
    }

    private void step() {
        runs.incrementAndGet();
        Callable<?> what = inside;
        if (what != null) {
            try {
                what.call();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Idempotent(value = "charge", key = "#order.id", policy = "once")
    @Transactional
    public Receipt charge(Order order) {
        pay(order.id());
        step();
        return new Receipt(order.id(), runs.get());
    }

    /** Without an annotation of Spring's: it takes part all the same. */
    @Idempotent(value = "charge-plainly", key = "#order.id", policy = "once")
    public void chargePlainly(Order order) {
        pay(order.id());
        step();
    }

    @Idempotent(value = "charge-strictly", key = "#p0", payload = "#p1", tenant = "#tenant", policy = "once")
    public int chargeStrictly(@Nullable String key, Order order, String tenant, @Nullable String note) {
        pay(tenant + "/" + order.id());
        return runs.incrementAndGet();
    }

    @Idempotent(value = "charge-by-strategy", key = "@orderKey", policy = "once")
    public int chargeByStrategy(Order order) {
        pay(order.id());
        return runs.incrementAndGet();
    }

    @Idempotent(value = "refuse", key = "#id", policy = "once")
    public String refuse(String id) {
        pay(id);
        runs.incrementAndGet();
        throw Failure.of(Failure.Category.BUSINESS_RULE, "No refunds on Sundays.")
                .asException();
    }

    @Idempotent(value = "list", key = "#id")
    public List<Receipt> list(String id) {
        return List.of(new Receipt(id, runs.incrementAndGet()));
    }

    @Idempotent(value = "maybe", key = "#id")
    public Optional<Receipt> maybe(String id) {
        runs.incrementAndGet();
        return Optional.of(new Receipt(id, 1));
    }

    @Idempotent(value = "nothing", key = "#id")
    public @Nullable String nothing(String id) {
        runs.incrementAndGet();
        return null;
    }

    @Idempotent(value = "bytes", key = "#id")
    public byte[] bytes(String id) {
        return new byte[] {(byte) runs.incrementAndGet(), (byte) 0xff};
    }

    @Idempotent(value = "tell", key = "#id")
    public String tell(String id, @Nullable AtomicContext tx) {
        pay(id);
        tx.send(MAIL, Key.of(id), new Mail(id, "paid"));
        return tx.correlationId();
    }

    @Idempotent(value = "post", key = "#id", form = Idempotent.Form.LEASED, policy = "once")
    public String post(String id, @Nullable LeasedContext run) {
        step();
        return run.downstreamKey();
    }

    @Idempotent(
            value = "post-or-refuse",
            key = "#id",
            form = Idempotent.Form.LEASED,
            whileRunning = Idempotent.WhileRunning.REJECT)
    public void postOrRefuse(String id) {
        step();
    }

    @SemelChannel("mail")
    @Transactional
    public void deliver(Mail mail) {
        jdbc.update("INSERT INTO mail (order_id) VALUES (?)", mail.order());
        if (mail.text().equals("broken")) {
            throw Failure.of(Failure.Category.VALIDATION, "broken").asException();
        }
    }

    int delivered(String order) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM mail WHERE order_id = ?", Integer.class, order);
        return count == null ? 0 : count;
    }
}
