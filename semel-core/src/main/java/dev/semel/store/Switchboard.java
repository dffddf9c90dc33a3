package dev.semel.store;

import dev.semel.Mode;
import dev.semel.SemelException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The settings that all nodes share: modes and the epoch. */
public interface Switchboard {
    /** The modes that are set, with the version that grants are checked against. */
    Modes modes();

    /**
     * Sets a mode in one commit with its event and a new version. LIVE removes the setting.
     *
     * @return the new version
     */
    long set(Setting setting, AuditEntry event);

    /**
     * Pauses a channel, in one commit with its event and a new version. A pause that is there already is replaced.
     *
     * @return the new version
     */
    default long pause(Pause pause, AuditEntry event) {
        throw new SemelException.Invalid("This store keeps no work for later, so channel " + pause.operation()
                + " cannot be paused on it. Use sqlite:<file> or postgresql://...");
    }

    /**
     * Ends a pause, in one commit with its event and a new version; does nothing when there is none.
     *
     * @return whether there was one
     */
    default boolean resume(String operation, @Nullable String tenant, AuditEntry event) {
        return false;
    }

    /** In the high bits of every fence. Raised when the store was restored, failed over or adopted. */
    int epoch();

    /**
     * Makes the store this installation's own after a restore: raises the epoch and turns every IN_PROGRESS record into
     * UNKNOWN, due at once, in one commit with an event for each record and one for the adoption. Steps stay as they are: they
     * go with their parents.
     *
     * @param forRecord the event of a record
     * @param adoption the event of the adoption
     * @return how many records became UNKNOWN
     */
    int adopt(Function<Row, AuditEntry> forRecord, AuditEntry adoption);

    /**
     * @param version grows with every change
     * @param now the store's clock when they were read, in its milliseconds: deadlines are judged by it and not by a node's; 0 when
     *     they were read inside a transaction
     */
    record Modes(long version, List<Setting> settings, List<Pause> pauses, long now) {
        public Modes {
            settings = List.copyOf(settings);
            pauses = List.copyOf(pauses);
        }

        /** The strictest mode that applies. */
        public Mode of(String tenant, String operation) {
            Mode mode = Mode.LIVE;
            for (Setting setting : settings) {
                if (setting.appliesTo(tenant, operation)) {
                    mode = mode.stricter(setting.mode());
                }
            }
            return mode;
        }

        /** The strictest mode that applies to an operation for all tenants. */
        public Mode ofAll(String operation) {
            Mode mode = Mode.LIVE;
            for (Setting setting : settings) {
                if (setting.tenant() == null
                        && (setting.operation() == null || setting.operation().equals(operation))) {
                    mode = mode.stricter(setting.mode());
                }
            }
            return mode;
        }
    }

    /**
     * @param tenant all tenants when absent
     * @param operation all operations when absent
     */
    record Setting(@Nullable String tenant, @Nullable String operation, Mode mode) {
        boolean appliesTo(String otherTenant, String otherOperation) {
            return (tenant == null || tenant.equals(otherTenant))
                    && (operation == null || operation.equals(otherOperation));
        }
    }

    /**
     * A channel that is not claimed from until somebody resumes it. It accepts messages meanwhile.
     *
     * @param tenant all tenants when absent
     * @param reason for people
     * @param since in milliseconds of the node that paused it
     * @param probeMillis how often one message is let through to see whether it works again; 0 for never
     */
    record Pause(String operation, @Nullable String tenant, String reason, long since, long probeMillis) {
        /** Whether messages of this tenant on this operation are held up by it. */
        public boolean appliesTo(String otherOperation, String otherTenant) {
            return operation.equals(otherOperation) && (tenant == null || tenant.equals(otherTenant));
        }
    }
}
