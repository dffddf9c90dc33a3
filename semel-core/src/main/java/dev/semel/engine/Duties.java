package dev.semel.engine;

import dev.semel.audit.ReplayBuffer;
import dev.semel.audit.Sealer;
import dev.semel.execution.LeaseKeeper;
import dev.semel.worker.Housekeeper.Duty;
import dev.semel.worker.Purger;
import dev.semel.worker.Reconciliation;
import dev.semel.worker.Sweeper;
import dev.semel.worker.Worker;
import java.time.Duration;
import java.util.List;

/** Everything an engine does without being called. A simulation does these by hand. */
public record Duties(
        LeaseKeeper keeper,
        Sweeper sweeper,
        Reconciliation reconciliation,
        Purger purger,
        Sealer sealer,
        ReplayBuffer replays,
        Worker worker) {

    List<Duty> slow() {
        return List.of(
                Duty.every(Duration.ofSeconds(1), "sweep expired leases", sweeper::sweep),
                Duty.every(Duration.ofSeconds(1), "ask reconcilers", reconciliation::reconcile),
                Duty.every(Duration.ofSeconds(1), "write replay events", () -> replays.flush(false)),
                Duty.every(Duration.ofSeconds(5), "seal the audit", sealer::sealAll),
                Duty.every(Duration.ofHours(1), "purge", purger::purge));
    }
}
