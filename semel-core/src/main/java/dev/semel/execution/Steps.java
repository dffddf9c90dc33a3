package dev.semel.execution;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.ledger.Transition;
import dev.semel.policy.Classifier;
import dev.semel.store.Header;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A leased run as its handler sees it. A step is a child record, granted only while the parent is held under the
 * run's fence. Its lease expires at once: the holder of the parent may take a repeatable step over, and nobody else
 * can.
 */
final class Steps implements LeasedContext {
    private final StepTools tools;
    private final PreparedCall<?, ?> prepared;
    private final Reserved.Granted granted;
    private final boolean replayed;
    private final Set<String> used = new HashSet<>();
    private @Nullable RuntimeException broken;

    /** @param replayed whether an operator replayed the record */
    Steps(StepTools tools, PreparedCall<?, ?> prepared, Reserved.Granted granted, boolean replayed) {
        this.tools = tools;
        this.prepared = prepared;
        this.granted = granted;
        this.replayed = replayed;
    }

    /** An earlier run was interrupted in a step that may not be repeated. */
    static final class StepInterrupted extends RuntimeException {
        private static final long serialVersionUID = 1;

        StepInterrupted(String message) {
            super(message);
        }
    }

    /** The kill switch was thrown before the handler or one of its steps, or nobody knows whether it was. */
    static final class RunHalted extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final boolean known;

        private RunHalted(String message, boolean known) {
            super(message);
            this.known = known;
        }

        RunHalted(String message) {
            this(message, true);
        }

        /** Not when the modes could not be read: then nobody switched anything off, and it may be tried again at once. */
        boolean isKnown() {
            return known;
        }
    }

    /** SHADOW was set between two steps, or between the grant and the handler. */
    static final class RunShadowed extends RuntimeException {
        private static final long serialVersionUID = 1;

        RunShadowed(String message) {
            super(message);
        }
    }

    /** The modes are looked at once more between the grant and the handler. */
    void demandStart() {
        Mode mode = tools.modes().beforeStart(prepared);
        if (mode != Mode.LIVE) {
            throw forbidden(mode, "before its handler started");
        }
    }

    private RuntimeException forbidden(@Nullable Mode mode, String when) {
        if (mode == null) {
            return broken(new RunHalted(prepared.name() + ": the modes could not be read " + when + ".", false));
        }
        String message = prepared.name() + ": " + mode + " " + when + ".";
        return broken(mode == Mode.SHADOW ? new RunShadowed(message) : new RunHalted(message));
    }

    @Override
    public Tenant tenant() {
        return prepared.call().tenant();
    }

    @Override
    public String correlationId() {
        return prepared.correlationId();
    }

    @Override
    public int attempt() {
        return granted.attempt();
    }

    @Override
    public boolean replayed() {
        return replayed;
    }

    @Override
    public long fence() {
        return granted.fence();
    }

    @Override
    public String downstreamKey() {
        return prepared.id().downstreamKey();
    }

    @Override
    public void note(String name, String value) {
        prepared.notes().put(name, value);
    }

    @Override
    public void note(String name, long value) {
        prepared.notes().put(name, value);
    }

    /** For outgoing calls outside of steps. */
    DownstreamKey key() {
        return new DownstreamKey(prepared, prepared.id(), fence());
    }

    @Override
    public <T> @Nullable T step(String name, Operation.TypeRef<T> result, Step<T> part) throws Exception {
        return step(name, result, prepared.isRepeatable(), part);
    }

    @Override
    public <T> @Nullable T step(String name, Operation.TypeRef<T> result, boolean repeatable, Step<T> part)
            throws Exception {
        SemelException.Invalid.unlessText("step name", name, Key.MAX_LENGTH);
        if (!used.add(name)) {
            throw new SemelException.Invalid(prepared.name() + ": the step \"" + name
                    + "\" is used twice in one run. Give each step a name of its own.");
        }
        RecordId id = prepared.id().step(name);
        Reserved reserved = begin(id, name, repeatable, 0);
        if (reserved instanceof Reserved.Granted own) {
            return run(id, own, new StepCall<>(name, result, repeatable, part));
        }
        if (reserved instanceof Reserved.Existing existing) {
            Row row = existing.row();
            if (row.state() == State.COMPLETED) {
                return tools.codec().decode(row.result(), result);
            }
            throw broken(interrupted(name));
        }
        if (reserved instanceof Reserved.Locked) {
            throw new SemelException.Locked(
                    prepared.name() + ": the step \"" + name
                            + "\" or its record is locked by another transaction that has not ended; the step was not started.");
        }
        throw broken(lost());
    }

    StepInterrupted interrupted(String name) {
        return new StepInterrupted(prepared.name() + ": an earlier run was interrupted in step \"" + name
                + "\", which may not be repeated.");
    }

    /**
     * Asks for the grant of a step. A store that was adopted by an earlier version may hold steps that are UNKNOWN: one that may be
     * repeated is released first.
     *
     * @param owner the token of the reservation; 0 for a new one
     */
    Reserved begin(RecordId id, String name, boolean repeatable, long owner) {
        Reserved reserved = reserve(id, name, repeatable, owner);
        if (repeatable
                && reserved instanceof Reserved.Existing existing
                && existing.row().state() == State.UNKNOWN) {
            long fence = existing.row().status().fence();
            tools.ledger().move(Transition.RELEASE_STEP.of(id, fence, Move.Change.NONE, null));
            return reserve(id, name, true, owner);
        }
        return reserved;
    }

    private Reserved reserve(RecordId id, String name, boolean repeatable, long owner) {
        Header header = prepared.header();
        Reservation reservation = new Reservation(
                Identity.of(id),
                new Header(
                        header.tenant(),
                        header.operation(),
                        name,
                        header.fingerprint(),
                        header.correlationId(),
                        prepared.id()),
                null,
                new Reservation.Grant(
                        owner != 0 ? owner : tools.random().nextLong(1, Long.MAX_VALUE),
                        0,
                        repeatable,
                        Integer.MAX_VALUE),
                new Reservation.Parent(prepared.id(), granted.fence()),
                null);
        while (true) {
            CurrentModes.Reading modes = tools.modes().of(prepared);
            if (modes.mode() != Mode.LIVE) {
                throw forbidden(modes.mode(), "before step \"" + name + "\"");
            }
            Reserved reserved = tools.ledger().reserve(modes.version(), reservation);
            if (!(reserved instanceof Reserved.ModesChanged)) {
                return reserved;
            }
            tools.modes().reload();
        }
    }

    private record StepCall<T>(String name, Operation.TypeRef<T> type, boolean repeatable, Step<T> step) {}

    private <T> @Nullable T run(RecordId id, Reserved.Granted own, StepCall<T> part) throws Exception {
        T result;
        try {
            result = new DownstreamKey(prepared, id, fence()).during(() -> part.step.run(id.downstreamKey()));
        } catch (Throwable thrown) {
            boolean uncertain = Classifier.judge(prepared.policy(), thrown)
                    .failure()
                    .category()
                    .indeterminate();
            if (part.repeatable || !uncertain) {
                tools.ledger().move(Transition.RELEASE.of(id, own.fence(), Move.Change.NONE, null));
            }
            throw thrown;
        }
        if (keep(id, own, part, result) instanceof Moved.Refused) {
            throw broken(lost());
        }
        return result;
    }

    /**
     * The step has acted. If its result cannot be stored, it is left as interrupted: its record becomes UNKNOWN, and
     * the reconciler gets the key that the step handed over.
     */
    private <T> Moved keep(RecordId id, Reserved.Granted own, StepCall<T> part, @Nullable T result) {
        byte[] snapshot;
        try {
            snapshot = tools.codec().encode(result, part.type);
        } catch (Throwable why) {
            throw broken(ResultNotKept.ofStep(prepared, part.name, why));
        }
        Move.Change kept = Transition.result(Duration.ofMillis(Status.NEVER), snapshot);
        try {
            return tools.ledger().move(Transition.COMPLETE.of(id, own.fence(), kept, null));
        } catch (SemelException.DataRefused why) {
            throw broken(ResultNotKept.ofStep(prepared, part.name, why));
        }
    }

    @Override
    public <P> Sent.Accepted send(Channel<P> channel, Message<P> message) {
        return tools.sender().from(channel, message, prepared.id());
    }

    @Override
    public void ensureHeld() {
        long lease = prepared.policy().limits().lease().toMillis();
        boolean held = tools.ledger()
                .ungrouped()
                .renew(List.of(new Renewal(prepared.id(), granted.fence(), lease)))
                .get(0);
        if (!held) {
            throw broken(lost());
        }
    }

    private <E extends RuntimeException> E broken(E why) {
        broken = why;
        return why;
    }

    /** Why the run cannot be completed any more, even if its handler swallows that. */
    @Nullable
    RuntimeException broken() {
        return broken;
    }

    SemelException.LeaseLost lost() {
        return new SemelException.LeaseLost(
                prepared.name() + ": lease lost under fence " + granted.fence()
                        + "; another run has the record, whose result will be replayed on the next call.",
                granted.fence());
    }
}
