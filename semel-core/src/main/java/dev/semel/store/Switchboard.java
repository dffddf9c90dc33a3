package dev.semel.store;

import dev.semel.Mode;
import dev.semel.SemelException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
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

        /** As {@link #of(String, String, Set)}, of an operation whose labels are not known: those set for labels are left out. */
        public Mode of(String tenant, String operation) {
            return of(tenant, operation, Set.of());
        }

        /**
         * The strictest mode that applies.
         *
         * @param labels of the operation, as it is declared
         */
        public Mode of(String tenant, String operation, Set<String> labels) {
            return strictest(setting ->
                    (setting.tenant == null || setting.tenant.equals(tenant)) && setting.appliesTo(operation, labels));
        }

        /** As {@link #ofAll(String, Set)}, of an operation whose labels are not known. */
        public Mode ofAll(String operation) {
            return ofAll(operation, Set.of());
        }

        /** The strictest mode that applies to an operation for all tenants. */
        public Mode ofAll(String operation, Set<String> labels) {
            return strictest(setting -> setting.tenant == null && setting.appliesTo(operation, labels));
        }

        private Mode strictest(Predicate<Setting> applying) {
            Mode mode = Mode.LIVE;
            for (Setting setting : settings) {
                if (applying.test(setting)) {
                    mode = mode.stricter(setting.mode());
                }
            }
            return mode;
        }
    }

    /**
     * @param tenant all tenants when absent
     * @param operation what it applies to: the name of one operation, a group as {@link Group#stored} writes it, or all operations
     *     when absent. A store keeps the text as it is
     */
    record Setting(@Nullable String tenant, @Nullable String operation, Mode mode) {
        /** For a group of operations. */
        public static Setting forGroup(@Nullable String tenant, Group group, Mode mode) {
            return new Setting(tenant, group.stored(), mode);
        }

        /** The group it is for; absent when it is for one operation or for all. */
        public @Nullable Group group() {
            return operation == null ? null : Group.of(operation);
        }

        boolean appliesTo(String name, Set<String> labels) {
            if (operation == null || operation.equals(name)) {
                return true;
            }
            Group group = group();
            return group != null && group.contains(name, labels);
        }
    }

    /**
     * Operations and channels that are switched together.
     *
     * @param text a beginning of names, or a label: 1 to 120 characters without control characters
     */
    record Group(By by, String text) {
        public Group {
            SemelException.Invalid.unlessName(by == By.PREFIX ? "prefix of operation names" : "label", text, 120);
        }

        /** What its members have in common. */
        public enum By {
            /** Their names begin with the text. */
            PREFIX("prefix"),
            /** They are declared with the text as a label. */
            LABEL("label");

            private final String word;
            // No name of an operation has a control character.
            private final String mark;

            By(String word) {
                this.word = word;
                this.mark = "\t" + word + "\t";
            }
        }

        /** As a setting has it in the place of an operation's name; no operation can be called so. */
        public String stored() {
            return by.mark + text;
        }

        /** Reads the form that {@link #stored} writes; absent when it is an operation's name. */
        public static @Nullable Group of(String stored) {
            for (By by : By.values()) {
                if (stored.startsWith(by.mark)) {
                    return new Group(by, stored.substring(by.mark.length()));
                }
            }
            return null;
        }

        /** Whether an operation belongs to it. */
        public boolean contains(String operation, Set<String> labels) {
            return by == By.PREFIX ? operation.startsWith(text) : labels.contains(text);
        }

        /** For people: {@code label side-effects}. */
        @Override
        public String toString() {
            return by.word + " " + text;
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
