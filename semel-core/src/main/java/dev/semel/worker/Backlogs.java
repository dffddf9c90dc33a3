package dev.semel.worker;

import dev.semel.audit.AuditPurge;
import dev.semel.store.LedgerState;
import dev.semel.store.Queue;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.time.Duration;

/**
 * Reads how much waits for the operations that are served here and the state of the whole ledger, and tells the watch: from time
 * to time, so that reading the gauges costs the store nothing. Every node that serves a channel reports all of it.
 */
public final class Backlogs {
    private final Store store;
    private final Watch watch;
    private final TimeSource time;
    private final Worker worker;
    private final AuditPurge auditPurge;

    public Backlogs(Store store, Watch watch, TimeSource time, Worker worker, AuditPurge auditPurge) {
        this.store = store;
        this.watch = watch;
        this.time = time;
        this.worker = worker;
        this.auditPurge = auditPurge;
    }

    /** Whether there is a watch to tell. */
    public boolean isWatched() {
        return watch != Watch.NONE;
    }

    public void look() {
        watch.stands(gauges(LedgerState.of(store)));
        store.queue().ifPresent(queue -> worker.serving().forEach(operation -> look(queue, operation)));
    }

    private Watch.LedgerGauges gauges(LedgerState state) {
        return new Watch.LedgerGauges(
                state.deadLetters().count(),
                state.unknown().count(),
                Duration.ofMillis(state.unknown().ageMillis()),
                Duration.ofMillis(state.running().ageMillis()),
                state.bytes().orElse(-1),
                new Watch.PurgeGauges(
                        store.auditBytes().orElse(-1),
                        Duration.ofMillis(state.purgeLagMillis()),
                        auditPurge.lag(state.running().now())));
    }

    private void look(Queue queue, String operation) {
        Queue.Backlog backlog = queue.backlog(operation);
        long now = time.millis();
        // By this node's clock, which may be a little apart from the store's.
        long age = backlog.oldestDue() == Status.NEVER ? 0 : Math.max(0, now - backlog.oldestDue());
        watch.waits(operation, backlog.waiting(), Duration.ofMillis(age));
    }
}
