package dev.semel.spring;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Handlers at the level MARKER that commit by ways which no transaction of their own shows, and fail at their first run. */
@RestController
@RequestMapping("/marker/{key}")
public class MarkerDetourController {
    static final Channel.Atomic<String> PARCELS = Channel.atomic("parcels", String.class);
    /** One permit for each request that came to where its process is to die. */
    static final Semaphore WAITING_TO_DIE = new Semaphore(0);

    private static final Operation.Leased<String, String> SHIP = Operation.leased("ship", String.class, String.class);

    private final MarkerController controller;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transaction;
    private final TransactionTemplate apart;
    private final Executor executor;
    private final Detours detours;
    private volatile CountDownLatch answered = new CountDownLatch(1);

    /** What the handlers use beside the database. */
    public record Detours(Semel semel, ApplicationEventPublisher events) {}

    /** Published inside a transaction. */
    public record Written(String key) {}

    public MarkerDetourController(
            MarkerController controller,
            JdbcTemplate jdbc,
            PlatformTransactionManager manager,
            @Qualifier("applicationTaskExecutor") Executor executor,
            Detours detours) {
        this.controller = controller;
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(manager);
        this.apart = new TransactionTemplate(manager);
        this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.executor = executor;
        this.detours = detours;
    }

    private void write(String key) {
        jdbc.update("INSERT INTO effect (name) VALUES (?)", key);
    }

    /** A thread of the application's that is called as Semel's are. */
    @PostMapping("/named-thread")
    public String namedThread(@PathVariable String key) throws InterruptedException {
        Thread thread = new Thread(() -> write(key), "semel-handler-1");
        thread.start();
        thread.join();
        return controller.failOnce(key);
    }

    @PostMapping("/sent-only")
    public String sentOnly(@PathVariable String key) {
        detours.semel().send(PARCELS, Message.of(Tenant.SINGLE, Key.of(key), "parcel"));
        return controller.failOnce(key);
    }

    @PostMapping("/leased-only")
    public String leasedOnly(@PathVariable String key) {
        detours.semel().run(SHIP, Call.of(Tenant.SINGLE, Key.of(key), "parcel"), (payload, run) -> payload);
        return controller.failOnce(key);
    }

    /** The task takes its connection when the request has long been answered. */
    @PostMapping("/executor")
    public String executor(@PathVariable String key) {
        answered = new CountDownLatch(1);
        CountDownLatch waits = answered;
        executor.execute(() -> {
            try {
                waits.await();
                write(key);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        return controller.failOnce(key);
    }

    /** Lets the task of {@link #executor} go on. */
    void answered() {
        answered.countDown();
    }

    @PostMapping("/unwrapped")
    public String unwrapped(@PathVariable String key) throws SQLException {
        DataSource source = java.util.Objects.requireNonNull(jdbc.getDataSource());
        DataSource pool = (DataSource) source.unwrap(com.zaxxer.hikari.HikariConfigMXBean.class);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO effect (name) VALUES ('" + key + "')");
        }
        return controller.failOnce(key);
    }

    @PostMapping("/mono")
    public Mono<String> mono(@PathVariable String key) {
        return Mono.fromCallable(() -> {
                    write(key);
                    return controller.failOnce(key);
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    /** One transaction inside another, which only reads. */
    @PostMapping("/apart-reads")
    public String apartReads(@PathVariable String key) {
        return String.valueOf((Object) transaction.execute(tx -> {
            apart.executeWithoutResult(inner -> controller.effects(key));
            return controller.failOnce(key);
        }));
    }

    /** A transaction that only reads, and a listener that writes once it is committed. */
    @PostMapping("/listened")
    public String listened(@PathVariable String key) {
        transaction.executeWithoutResult(tx -> {
            controller.effects(key);
            detours.events().publishEvent(new Written(key));
        });
        return controller.failOnce(key);
    }

    /** Its writes and those of its listener. */
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    @TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
    public void afterCommit(Written written) {
        write(written.key());
    }

    /** Writes in one transaction inside another, and the process is gone. */
    @PostMapping("/apart-and-gone")
    public String apartAndGone(@PathVariable String key) {
        return String.valueOf((Object) transaction.execute(tx -> {
            apart.executeWithoutResult(inner -> write(key));
            return gone();
        }));
    }

    /** Its listener has written, and the process is gone. */
    @PostMapping("/listened-and-gone")
    public String listenedAndGone(@PathVariable String key) {
        transaction.executeWithoutResult(tx -> {
            controller.effects(key);
            detours.events().publishEvent(new Written(key));
        });
        return gone();
    }

    /** Has written inside, rolled that back and read inside, and the process is gone. */
    @PostMapping("/nothing-and-gone")
    public String nothingAndGone(@PathVariable String key) {
        return String.valueOf((Object) transaction.execute(tx -> {
            apart.executeWithoutResult(inner -> {
                write(key);
                inner.setRollbackOnly();
            });
            apart.executeWithoutResult(inner -> controller.effects(key));
            return gone();
        }));
    }

    /** In a process that was started to die here the request stays until it does; in one that was not, the request is done. */
    private static String gone() {
        if (Boolean.getBoolean("dies")) {
            WAITING_TO_DIE.release();
            new Semaphore(0).acquireUninterruptibly();
        }
        return "done";
    }
}
