package dev.semel.operator;

import dev.semel.Call.Origin;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.store.AuditEntry;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The operator's actions. Each one carries who did it and why, and is written in the same commit as its audit event, so none
 * goes unaudited.
 */
public final class Operator {
    private final Store store;
    private final Consumer<RecordId> onForgotten;
    private final Events events = new Events(true);

    /** @param onForgotten told of each record that was removed, so that local caches let go of it */
    public Operator(Store store, Consumer<RecordId> onForgotten) {
        this.store = store;
        this.onForgotten = onForgotten;
    }

    /**
     * Who acts, and why.
     *
     * @param reason written into the audit; never empty
     */
    public record Warrant(String actor, String reason) {
        public Warrant {
            if (actor.isBlank() || reason.isBlank()) {
                throw new SemelException.Invalid(
                        "An operator's action needs a name and a reason for the audit. Give both.");
            }
        }

        Origin origin() {
            return Origin.UNSTATED.withActor(actor, "operator").withSource("operator");
        }
    }

    /** What came of forgetting. */
    public enum Forgotten {
        /** The key is new again. */
        DONE,
        /** There was no record. */
        ABSENT
    }

    /**
     * Makes a key new again: its record and steps are removed, and the next call runs. Refused while the record is queued or
     * running, because its run would go on.
     */
    public Forgotten forget(Tenant tenant, String operation, Key key, Warrant warrant) {
        RecordId id = Identity.of(tenant, operation, key).id();
        Row row = store.ledger().find(List.of(id)).get(id);
        if (row == null) {
            return Forgotten.ABSENT;
        }
        Events.About about = Events.About.record(id, row.header(), warrant.origin(), "OPERATOR");
        AuditEntry event = events.event(
                EventType.OPERATOR_FORGOT,
                about,
                Map.of("reason", warrant.reason(), "was", row.state().name()));
        Move move = Transition.FORGET.of(id, row.status().fence(), Move.Change.NONE, event);
        if (store.ledger().move(List.of(move)).get(0) instanceof Moved.Refused refused) {
            String now = refused.current() == null
                    ? "absent"
                    : refused.current().state().name();
            throw new SemelException.Invalid(operation + "/" + id + " (tenant " + tenant + ") is " + now
                    + ": it cannot be forgotten now. Wait for it to end, or halt the operation first, then try again.");
        }
        onForgotten.accept(id);
        return Forgotten.DONE;
    }

    /** Sets a mode for all nodes. Grants made before are not undone; none is made after. */
    public long setMode(Switchboard.Setting setting, Warrant warrant) {
        String tenant = setting.tenant() == null ? "*" : setting.tenant();
        AuditEntry.Subject subject = new AuditEntry.Subject(tenant, setting.operation(), null, null, null);
        AuditEntry event = events.event(
                EventType.MODE_CHANGED,
                new Events.About(subject, warrant.origin(), null, 0),
                Map.of("mode", setting.mode().name(), "reason", warrant.reason()));
        return store.switchboard().set(setting, event);
    }

    /**
     * Takes a restored store into use: a new epoch, so that no old fence is ever valid, and every run that was under way
     * becomes UNKNOWN.
     *
     * @return how many runs that were
     */
    public int adopt(Warrant warrant) {
        Events.About about = Events.About.tenant("*", warrant.origin());
        AuditEntry adoption = events.event(EventType.STORE_ADOPTED, about, Map.of("reason", warrant.reason()));
        return store.switchboard().adopt(row -> unknown(row, warrant), adoption);
    }

    private AuditEntry unknown(Row row, Warrant warrant) {
        Events.About about = Events.About.record(row.id(), row.header(), warrant.origin(), "OPERATOR");
        return events.event(
                EventType.OPERATION_UNKNOWN,
                about,
                Map.of("category", "lease_lost", "reason", "the store was adopted"));
    }
}
