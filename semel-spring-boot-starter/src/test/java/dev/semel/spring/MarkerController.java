package dev.semel.spring;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;

/** Handlers at the level MARKER that use the database in every way there is, and fail at their first run. */
@RestController
@RequestMapping("/marker/{key}")
public class MarkerController {
    private final JdbcTemplate jdbc;
    private final DataSource source;
    private final DataSource other;
    private final TransactionTemplate transaction;
    private final TransactionTemplate readOnly;
    private final TransactionTemplate apart;
    private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

    public MarkerController(
            JdbcTemplate jdbc,
            DataSource source,
            @Qualifier("other") DataSource other,
            PlatformTransactionManager manager) {
        this.jdbc = jdbc;
        this.source = source;
        this.other = other;
        this.transaction = new TransactionTemplate(manager);
        this.readOnly = new TransactionTemplate(manager);
        this.readOnly.setReadOnly(true);
        this.apart = new TransactionTemplate(manager);
        this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    int runs(String key) {
        return runs.getOrDefault(key, new AtomicInteger()).get();
    }

    int effects(String key) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM effect WHERE name = ?", Integer.class, key);
        return count == null ? 0 : count;
    }

    private void write(String key) {
        jdbc.update("INSERT INTO effect (name) VALUES (?)", key);
    }

    /** Which run it is. */
    int count(String key) {
        return runs.computeIfAbsent(key, name -> new AtomicInteger()).incrementAndGet();
    }

    /** Counts the run, and fails unless it is a later one. */
    String failOnce(String key) {
        if (count(key) == 1) {
            throw new IllegalStateException("the first run fails");
        }
        return "done";
    }

    @PostMapping("/answers/{status}")
    @Transactional
    public ResponseEntity<String> answers(@PathVariable String key, @PathVariable int status) {
        effects(key);
        return answer(key, status);
    }

    @PostMapping("/reads-and-answers/{status}")
    @Transactional(readOnly = true)
    public ResponseEntity<String> readsAndAnswers(@PathVariable String key, @PathVariable int status) {
        effects(key);
        return answer(key, status);
    }

    private ResponseEntity<String> answer(String key, int status) {
        int run = count(key);
        return ResponseEntity.status(run == 1 ? status : 200).body("run " + run);
    }

    @PostMapping("/writes-and-answers/{status}")
    public ResponseEntity<String> writesAndAnswers(@PathVariable String key, @PathVariable int status) {
        transaction.executeWithoutResult(tx -> write(key));
        return answer(key, status);
    }

    @PostMapping("/auto-commits-and-answers/{status}")
    public ResponseEntity<String> autoCommitsAndAnswers(@PathVariable String key, @PathVariable int status) {
        write(key);
        return answer(key, status);
    }

    @PostMapping("/auto-reads-and-answers/{status}")
    public ResponseEntity<String> autoReadsAndAnswers(@PathVariable String key, @PathVariable int status) {
        effects(key);
        return answer(key, status);
    }

    @PostMapping("/nothing")
    public String nothing(@PathVariable String key) {
        return failOnce(key);
    }

    @PostMapping("/read-then-rolled-back")
    public String readThenRolledBack(@PathVariable String key) {
        transaction.execute(tx -> effects(key));
        readOnly.execute(tx -> effects(key));
        return String.valueOf((Object) transaction.execute(tx -> {
            write(key);
            return failOnce(key);
        }));
    }

    @PostMapping("/committed")
    public String committed(@PathVariable String key) {
        transaction.executeWithoutResult(tx -> write(key));
        return failOnce(key);
    }

    @PostMapping("/two")
    public String two(@PathVariable String key) {
        transaction.executeWithoutResult(tx -> write(key));
        return String.valueOf((Object) transaction.execute(tx -> {
            write(key + "-second");
            return failOnce(key);
        }));
    }

    @PostMapping("/apart")
    public String apart(@PathVariable String key) {
        return String.valueOf((Object) transaction.execute(tx -> {
            apart.executeWithoutResult(inner -> write(key));
            return failOnce(key);
        }));
    }

    @PostMapping("/auto-commit")
    public String autoCommit(@PathVariable String key) {
        write(key);
        return failOnce(key);
    }

    @PostMapping("/raw-beside")
    public String rawBeside(@PathVariable String key) {
        return String.valueOf((Object) readOnly.execute(tx -> {
            effects(key);
            insertOn(source, key);
            return failOnce(key);
        }));
    }

    @PostMapping("/other-source")
    public String otherSource(@PathVariable String key) {
        insertOn(other, key);
        return failOnce(key);
    }

    private static void insertOn(DataSource source, String key) {
        try (Connection connection = source.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO effect (name) VALUES ('" + key + "')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @PostMapping("/other-thread")
    public String otherThread(@PathVariable String key) {
        CompletableFuture.runAsync(() -> transaction.executeWithoutResult(tx -> write(key)))
                .join();
        return failOnce(key);
    }

    @PostMapping("/callable")
    public Callable<String> callable(@PathVariable String key) {
        return () -> {
            transaction.executeWithoutResult(tx -> write(key));
            return failOnce(key);
        };
    }

    /** Of which nobody can see before it runs that it is asynchronous. */
    @PostMapping("/future")
    public Object future(@PathVariable String key) {
        return later(key);
    }

    private CompletableFuture<String> later(String key) {
        return CompletableFuture.supplyAsync(() -> {
            write(key);
            return failOnce(key);
        });
    }

    @PostMapping("/deferred")
    public DeferredResult<String> deferred(@PathVariable String key) {
        DeferredResult<String> later = new DeferredResult<>();
        later(key).whenComplete((value, failed) -> {
            if (failed != null) {
                later.setErrorResult(failed);
            } else {
                later.setResult(value);
            }
        });
        return later;
    }
}
