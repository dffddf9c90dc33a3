package dev.semel.engine;

import dev.semel.audit.AuditPurge;
import dev.semel.audit.ReplayBuffer;
import dev.semel.audit.Sealer;
import dev.semel.execution.LeaseKeeper;
import dev.semel.operator.DeliveryRounds;
import dev.semel.worker.ActivityRecorder;
import dev.semel.worker.Backlogs;
import dev.semel.worker.Housekeeper.Duty;
import dev.semel.worker.Purger;
import dev.semel.worker.Reconciliation;
import dev.semel.worker.Sweeper;
import dev.semel.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Everything an engine does without being called. A simulation does these by hand. */
public record Duties(
        LeaseKeeper keeper,
        Worker worker,
        Sweeper sweeper,
        QueryDuties inquiries,
        MaintenanceDuties upkeep,
        Backlogs backlogs) {

    /** The share of each duty in a round, so that sweeping happens about once a second under any load. */
    private static final int SEALS = 10;

    private static final int CHUNKS = 10;
    private static final int SEGMENTS = 5;
    private static final Duration GOES_ON = Duration.ofMillis(50);

    /** Duties that query others: whether an interrupted run took effect, and which deliveries a source made. */
    public record QueryDuties(Reconciliation reconciliation, DeliveryRounds deliveries) {}

    /** Duties that maintain the store. */
    public record MaintenanceDuties(
            Purger purger,
            AuditPurge auditPurge,
            Sealer sealer,
            ReplayBuffer replays,
            Optional<ActivityRecorder> activity) {}

    public Reconciliation reconciliation() {
        return inquiries.reconciliation;
    }

    public DeliveryRounds deliveries() {
        return inquiries.deliveries;
    }

    public Purger purger() {
        return upkeep.purger;
    }

    public AuditPurge auditPurge() {
        return upkeep.auditPurge;
    }

    public Sealer sealer() {
        return upkeep.sealer;
    }

    /** Absent when no history of activity is recorded. */
    public Optional<ActivityRecorder> activity() {
        return upkeep.activity;
    }

    public ReplayBuffer replays() {
        return upkeep.replays;
    }

    List<Duty> slow() {
        List<Duty> duties = new ArrayList<>(List.of(
                Duty.every(Duration.ofSeconds(1), "sweep expired leases", sweeper::sweep),
                Duty.every(
                        Duration.ofSeconds(1),
                        "write replay events",
                        () -> replays().flush(false)),
                bounded(Duration.ofSeconds(5), "seal the audit", () -> sealer().seal(SEALS)),
                bounded(Duration.ofHours(1), "purge", () -> purger().purge(CHUNKS)),
                bounded(
                        Duration.ofHours(1),
                        "purge the audit",
                        () -> auditPurge().purge(SEGMENTS) == SEGMENTS)));
        if (backlogs.isWatched()) {
            duties.add(Duty.every(Duration.ofSeconds(15), "look how much waits", backlogs::look));
        }
        return duties;
    }

    /** Does a little at a time, so that the other duties have their turn; if there is more, it continues at once. */
    private static Duty bounded(Duration pace, String name, BooleanSupplier more) {
        return new Duty(name, () -> more.getAsBoolean() ? GOES_ON : pace);
    }

    /** Duties that run the application's code, which may hang: each on its own thread, so that it stops nothing else. */
    List<Duty> inquiring() {
        return List.of(
                Duty.every(Duration.ofSeconds(1), "ask reconcilers", reconciliation()::reconcile),
                Duty.every(Duration.ofSeconds(1), "ask sources what they delivered", deliveries()::begin));
    }
}
