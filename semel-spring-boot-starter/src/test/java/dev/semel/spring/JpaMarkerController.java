package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import dev.semel.spring.jpa.Note;
import jakarta.persistence.EntityManager;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Handlers at the level MARKER that change entities and leave it to the commit to write them; they fail at their first run. */
@RestController
@RequestMapping("/jpa/{key}")
public class JpaMarkerController {
    private final EntityManager entities;
    private final TransactionTemplate transaction;
    private final TransactionTemplate readOnly;
    private final TransactionTemplate apart;
    private final Map<String, Integer> runs = new ConcurrentHashMap<>();
    private final Map<String, Boolean> marked = new ConcurrentHashMap<>();

    public JpaMarkerController(EntityManager entities, PlatformTransactionManager manager) {
        this.entities = entities;
        this.transaction = new TransactionTemplate(manager);
        this.readOnly = new TransactionTemplate(manager);
        this.readOnly.setReadOnly(true);
        this.apart = new TransactionTemplate(manager);
        this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    void add(String text) {
        transaction.executeWithoutResult(status -> entities.persist(new Note(text)));
    }

    long count(String text) {
        return entities.createQuery("SELECT count(n) FROM Note n WHERE n.text = :text", Long.class)
                .setParameter("text", text)
                .getSingleResult();
    }

    int runs(String key) {
        return runs.getOrDefault(key, 0);
    }

    /** Whether a transaction of its first run was marked. */
    boolean marked(String key) {
        return marked.getOrDefault(key, false);
    }

    private Note note(String text) {
        return entities.createQuery("SELECT n FROM Note n WHERE n.text = :text", Note.class)
                .setParameter("text", text)
                .getSingleResult();
    }

    private String failOnce(String key) {
        int run = runs.merge(key, 1, Integer::sum);
        if (run == 1) {
            marked.put(key, IdempotentExchange.current().orElseThrow().isMarked());
            throw new IllegalStateException("the first run fails");
        }
        return "done";
    }

    /** The note changes without any statement; the commit finds that out. */
    @PostMapping("/changed")
    public String changed(@PathVariable String key) {
        return after(key, transaction, status -> note(key).rename(key + "-renamed"));
    }

    @PostMapping("/persisted")
    public String persisted(@PathVariable String key) {
        return after(key, transaction, status -> entities.persist(new Note(key + "-renamed")));
    }

    /** Changed last of all, when the transaction is being committed. */
    @PostMapping("/changed-at-the-commit")
    public String changedAtTheCommit(@PathVariable String key) {
        return after(
                key,
                transaction,
                status -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean isReadOnly) {
                        note(key).rename(key + "-renamed");
                    }
                }));
    }

    @PostMapping("/changed-apart")
    public String changedApart(@PathVariable String key) {
        return String.valueOf((Object) transaction.execute(status -> {
            apart.executeWithoutResult(inner -> note(key).rename(key + "-renamed"));
            return failOnce(key);
        }));
    }

    /** Nothing of it is ever written. */
    @PostMapping("/changed-read-only")
    public String changedReadOnly(@PathVariable String key) {
        return after(key, readOnly, status -> note(key).rename(key + "-renamed"));
    }

    @PostMapping("/read")
    public String read(@PathVariable String key) {
        return after(key, transaction, status -> note(key).text());
    }

    @PostMapping("/rolled-back")
    public String rolledBack(@PathVariable String key) {
        return after(key, transaction, status -> {
            note(key).rename(key + "-renamed");
            status.setRollbackOnly();
        });
    }

    private String after(
            String key, TransactionTemplate within, Consumer<org.springframework.transaction.TransactionStatus> work) {
        within.executeWithoutResult(work);
        return failOnce(key);
    }
}
