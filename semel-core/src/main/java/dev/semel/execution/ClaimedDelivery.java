package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.ledger.Transition;
import dev.semel.policy.JudgementBasis;
import dev.semel.policy.RetryDecision;
import dev.semel.store.AuditEntry;
import dev.semel.store.Line;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.watch.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One claimed record under its grant, from the claim to its result. Its lease is renewed from the start, until its
 * result is written.
 *
 * <p><b>What counts as an attempt.</b> A claim counts nothing: a node that dies has claimed many records whose
 * handlers never began. The attempt is counted by the move that writes its end. A node that dies writes none, so each
 * record that it held is a <i>suspect</i>: it may have killed the node. The attempt of a suspect is counted before
 * its handler begins ({@link #count}), so that a record which kills every node ends after as many attempts as its
 * policy has, and one more that nobody counted.
 *
 * @param <P> what it carries
 * @param <R> what its operation answers; nothing for a channel
 */
public final class ClaimedDelivery<P, R> implements AutoCloseable {
    private final DeliveryTools services;
    static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Failure LATE =
            Failure.of(Failure.Category.TIMEOUT, "Its deadline passed before it could be handled; it was not run.");

    /** The recovery of a message that failed for good, where its policy keeps no dead letters. */
    public static final String DROPPED = "none: its policy keeps no dead letters";

    private final Row row;
    private final PreparedCall<P, R> prepared;
    private final LeaseKeeper.Watched held;
    private final boolean suspect;
    private final boolean takenOver;
    private final boolean replayed;
    private final @Nullable PendingDeath dying;
    private final boolean countedBefore;
    private volatile boolean left;
    private volatile boolean counted;

    private ClaimedDelivery(DeliveryTools services, ClaimedRow claimed, PreparedCall<P, R> prepared) {
        this(
                services,
                claimed,
                prepared,
                services.keeper()
                        .hold(new LeaseKeeper.Lease(
                                claimed.row.id(),
                                claimed.row.status().fence(),
                                prepared.policy().limits().lease(),
                                claimed.since)));
    }

    private ClaimedDelivery(
            DeliveryTools services, ClaimedRow claimed, PreparedCall<P, R> prepared, LeaseKeeper.Watched held) {
        this.services = services;
        this.row = claimed.row;
        this.prepared = prepared;
        this.takenOver = claimed.takenOver;
        this.dying = PendingDeath.read(row.failure());
        this.replayed = Failures.isReplayed(row.failure());
        this.suspect = mayBeTakenOver() && (claimed.takenOver || Failures.isLeaseLost(row.failure()));
        this.countedBefore = Failures.isCounted(row.failure(), row.status().fence());
        this.held = held;
    }

    /**
     * A record as a claim brought it.
     *
     * @param since when it was asked for, by this node's monotonic clock
     * @param takenOver whether its last holder let its lease run out
     */
    public record ClaimedRow(Row row, long since, boolean takenOver) {}

    /**
     * @throws SemelException.Invalid when the payload cannot be read as the handler's type; see {@link UnreadablePayload}, or
     *     {@link #unread} for a record that is dying
     */
    public static <P, R> ClaimedDelivery<P, R> of(
            DeliveryTools services, Operation<P, R> operation, ClaimedRow claimed) {
        return new ClaimedDelivery<>(services, claimed, services.preparation().prepare(operation, claimed.row));
    }

    /**
     * Of a record whose handler is outside this process, and whose lease is renewed from there.
     *
     * @throws SemelException.Invalid as {@link #of}
     */
    static <P, R> ClaimedDelivery<P, R> outside(DeliveryTools services, Operation<P, R> operation, ClaimedRow claimed) {
        return outside(services, claimed, services.preparation().prepare(operation, claimed.row));
    }

    /** As {@link #outside(DeliveryTools, Operation, ClaimedRow)}, of one that is to be ended: its payload is not needed. */
    static <P, R> ClaimedDelivery<P, R> ending(DeliveryTools services, Operation<P, R> operation, Row row) {
        return outside(
                services, new ClaimedRow(row, 0, false), services.preparation().unread(operation, row));
    }

    private static <P, R> ClaimedDelivery<P, R> outside(
            DeliveryTools services, ClaimedRow claimed, PreparedCall<P, R> prepared) {
        return new ClaimedDelivery<>(
                services, claimed, prepared, services.keeper().elsewhere());
    }

    /** A record whose payload is not read here: it is dying, and its onDead handler does without, or it is handed back. */
    public static <P, R> ClaimedDelivery<P, R> unread(
            DeliveryTools services, Operation<P, R> operation, ClaimedRow claimed) {
        return new ClaimedDelivery<>(services, claimed, services.preparation().unread(operation, claimed.row));
    }

    /** Another node may be able to read its payload. */
    DeliveryResult leftToOthers(Failure failure, Duration pause) {
        try (this) {
            Move.Change back = Transition.due(pause, Duration.ZERO, ended(), kept(failure, pause));
            return end(DeliveryResult.ResultKind.HANDED_BACK, Transition.HAND_BACK, back, null, failure);
        }
    }

    /** Nobody could read its payload. */
    DeliveryResult unread(Failure failure) {
        try (this) {
            return dead(notRun(failure, JudgementBasis.Source.PAYLOAD), false);
        }
    }

    /**
     * The result that replaces one whose data the store rejects. If a leased handler has returned, it is UNKNOWN: its
     * effects outside are not rolled back. Otherwise it is a dead letter with the reason, because another delivery
     * would end in the same way.
     */
    public DeliveryResult notStored(DeliveryResult refused, SemelException.DataRefused why) {
        boolean acted =
                refused.kind() == DeliveryResult.ResultKind.DONE || refused.kind() == DeliveryResult.ResultKind.UNKNOWN;
        if (acted && prepared.operation() instanceof Operation.Leased) {
            return unknown(ResultNotKept.of(prepared, why).failure());
        }
        return dead(FailedAttempt.notStored(prepared, why, number()), false);
    }

    public Row row() {
        return row;
    }

    PreparedCall<P, R> prepared() {
        return prepared;
    }

    LeaseKeeper.Watched held() {
        return held;
    }

    /** Whether it has failed for good, and only its death is still to be recorded. */
    public boolean isDying() {
        return dying != null;
    }

    @Nullable
    PendingDeath dying() {
        return dying;
    }

    boolean isTakenOver() {
        return takenOver;
    }

    /** Whether an operator replayed it. */
    boolean isReplayed() {
        return replayed;
    }

    /** The failure as the record keeps it until its next attempt, with the mark of a replay. */
    private byte[] kept(Failure failure, @Nullable Duration delay) {
        return Failures.encode(failure, delay, replayed);
    }

    /** Whether its payload cannot be read here. */
    boolean isUnread() {
        return row.payload() != null && prepared.call().payload() == null;
    }

    Reserved.Granted grant() {
        return new Reserved.Granted(row.status().fence(), number(), false);
    }

    /** The payload in its present version; nothing when there is none. */
    public @Nullable P payload() {
        return prepared.call().payload();
    }

    /** The number of the attempt that begins now. */
    public int number() {
        return ended() + 1;
    }

    /** Attempts before the present one. */
    private int ended() {
        return row.status().attempt() - (countedBefore ? 1 : 0);
    }

    /** Whether it may be what killed the node that had it before. */
    public boolean isSuspect() {
        return suspect;
    }

    /** Whether its attempt is counted already. */
    public boolean isCounted() {
        return counted;
    }

    /**
     * Counts the attempt of a suspect, just before its handler begins.
     *
     * @return whether it may begin; if not, it was lost to another node, or the store could not be asked
     */
    Start count() {
        return count(prepared.policy().limits().lease(), row.failure());
    }

    /** As {@link #count}, under a lease of this length, with a mark by which whoever ends the attempt sees that it is counted. */
    Start countOutside(Duration lease) {
        return count(lease, Failures.counted(suspicion(), row.status().fence()));
    }

    private Start count(Duration lease, byte @Nullable [] failure) {
        if (!suspect || counted || countedBefore) {
            return Start.NOW;
        }
        Move.Change running = new Move.Change(lease.toMillis(), 0, number(), false, null, failure);
        try {
            Moved moved = services.ledger()
                    .move(Transition.BEGIN.of(row.id(), row.status().fence(), running, null));
            counted = !(moved instanceof Moved.Refused);
            return counted ? Start.NOW : Start.LOST;
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            // It may be counted all the same; handing it back takes that away.
            return Start.NOT_COUNTED;
        }
    }

    /** A delivery that may not be taken over becomes UNKNOWN when its holder dies, and its attempt is counted then. */
    private boolean mayBeTakenOver() {
        return prepared.operation() instanceof Operation.Atomic || prepared.isRepeatable();
    }

    /** Whether a handler may begin. */
    enum Start {
        NOW,
        /** Another node has the record. */
        LOST,
        /** The store could not be asked: the record is handed back. */
        NOT_COUNTED
    }

    /** The lane it keeps to; absent when it follows nobody. */
    public @Nullable Long lane() {
        Line.Lane lane = Objects.requireNonNull(row.line()).lane();
        return lane == null ? null : lane.number();
    }

    /** Its result is written, or another thread is about to write it. */
    public void leave() {
        left = true;
    }

    public boolean left() {
        return left;
    }

    /** Its lease is no longer renewed. */
    @Override
    public void close() {
        held.close();
    }

    /** Starts the span of its run. */
    void begin() {
        prepared.withSpan(
                services.watch().begin(row.header().operation(), row.header().tenant()));
        prepared.span().under(row.status().fence());
    }

    /** Its run is over: with what it leaves, or with nothing when the record was lost. */
    void ran(@Nullable DeliveryResult ending) {
        prepared.span().ended(ending == null ? Outcome.LOST : ending.kind().outcome());
    }

    /** Its run is over, and its end is committed. */
    void committed() {
        prepared.span().ended(Outcome.EXECUTED);
    }

    DeliveryResult done(byte @Nullable [] result) {
        prepared.span().kept(prepared.policy().retention().success().toMillis());
        return end(
                DeliveryResult.ResultKind.DONE,
                keepsToItsLane() ? Transition.COMPLETE_IN_LANE : Transition.COMPLETE,
                Transition.result(prepared.policy().retention().success(), result),
                outcome(EventType.OPERATION_EXECUTED, prepared.noted()),
                null);
    }

    /** Whether it must not take effect any more once its lane has gone on without it. */
    private boolean keepsToItsLane() {
        return prepared.operation() instanceof Operation.Atomic
                && lane() != null
                && prepared.policy().options().deadHead() == Policy.DeadHead.CONTINUE;
    }

    DeliveryResult shadowed() {
        return end(
                DeliveryResult.ResultKind.SHADOWED,
                Transition.SHADOW,
                notRun(Transition.result(prepared.policy().retention().deadLetters(), null)),
                outcome(EventType.OPERATION_SHADOWED, Map.of()),
                null);
    }

    /**
     * Its handler ran in SHADOW and was rolled back.
     *
     * @param sends how many messages it would have sent
     */
    DeliveryResult rehearsed(int sends) {
        return end(
                DeliveryResult.ResultKind.SHADOWED,
                Transition.SHADOW,
                Transition.result(prepared.policy().retention().deadLetters(), null),
                outcome(EventType.OPERATION_SHADOWED, wouldSend(sends)),
                null);
    }

    /** For the event of a handler that ran in SHADOW. */
    static Map<String, Object> wouldSend(int sends) {
        return sends == 0 ? Map.of() : Map.of("would_send", sends);
    }

    /** It did not run, or did nothing: back in its place, its attempt refunded. */
    public DeliveryResult handedBack() {
        return handedBack(DeliveryResult.ResultKind.HANDED_BACK, null);
    }

    /** It waited long without beginning: after a moment another node may have it. */
    public DeliveryResult handedBackToOthers() {
        return handedBack(DeliveryResult.ResultKind.HANDED_BACK, null, FIRST_PAUSE);
    }

    private DeliveryResult handedBack(DeliveryResult.ResultKind kind, @Nullable Failure failure) {
        return handedBack(kind, failure, Duration.ZERO);
    }

    private DeliveryResult handedBack(DeliveryResult.ResultKind kind, @Nullable Failure failure, Duration pause) {
        byte[] kept = suspect && dying == null ? suspicion() : row.failure();
        Move.Change back = Transition.due(pause, Duration.ZERO, ended(), kept);
        return end(kind, Transition.HAND_BACK, back, null, failure);
    }

    /** The failure by which the next claim recognises a suspect. */
    private byte[] suspicion() {
        Failure failure = Failure.of(
                Failure.Category.LEASE_LOST,
                "A node that held it died or was cut off; whether its handler had begun is not known.");
        return kept(failure, Failures.delay(row.failure()));
    }

    /** Its deadline passed before it could begin. */
    DeliveryResult late() {
        return dead(notRun(LATE, JudgementBasis.Source.DEADLINE), false);
    }

    /** As {@link #late}, in SHADOW. */
    DeliveryResult lateInShadow() {
        return wouldFail(LATE);
    }

    private FailedAttempt notRun(Failure failure, JudgementBasis.Source why) {
        return FailedAttempt.undecided(failure, why, ended());
    }

    boolean isLate() {
        long deadline = Objects.requireNonNull(row.line()).deadline();
        return deadline <= services.modes().storeMillis();
    }

    /**
     * What a failed attempt leaves; nothing when the record was lost to another grant.
     *
     * @param atomic whether all it did was rolled back
     */
    @Nullable
    DeliveryResult threw(HandlerOutcome.Threw<?> threw, boolean atomic) {
        return judged(threw, atomic, failed -> failedInEarnest(failed, atomic));
    }

    /**
     * What a handler that failed in SHADOW leaves. Nothing of it is in earnest: it spends no attempt and is not retried, it is no dead
     * letter and has no onDead handler, and its lane continues.
     */
    @Nullable
    DeliveryResult threwInShadow(HandlerOutcome.Threw<?> threw) {
        boolean storeFailed = threw.thrown() instanceof SemelException.StoreUnavailable
                || threw.thrown() instanceof SemelException.OutcomeUnknown
                || threw.thrown() instanceof SemelException.TransactionMustBeRetried;
        return storeFailed ? handedBackToOthers() : judged(threw, true, failed -> wouldFail(failed.failure()));
    }

    private DeliveryResult wouldFail(Failure failure) {
        return end(
                DeliveryResult.ResultKind.SHADOWED,
                Transition.SHADOW,
                notRun(Transition.failure(prepared.policy().retention().deadLetters(), Failures.encode(failure))),
                outcome(
                        EventType.OPERATION_SHADOWED,
                        Map.of("category", failure.category().code(), "reason", failure.reason())),
                null);
    }

    private @Nullable DeliveryResult judged(
            HandlerOutcome.Threw<?> threw, boolean atomic, Function<FailedAttempt, DeliveryResult> failure) {
        Throwable thrown = threw.thrown();
        LeaseKeeper.Stop stop = threw.stop();
        if (stop == LeaseKeeper.Stop.LEASE_OVER) {
            return handedBack();
        }
        if (stop == LeaseKeeper.Stop.LEASE_LOST || thrown instanceof SemelException.LeaseLost) {
            return null;
        }
        if (thrown instanceof SemelException.TransactionEnded) {
            return unknown(Failure.of(Failure.Category.BUG, String.valueOf(thrown.getMessage())));
        }
        if (thrown instanceof Steps.RunHalted) {
            return handedBack();
        }
        if (thrown instanceof Steps.RunShadowed) {
            return shadowed();
        }
        if (thrown instanceof ResultNotKept acted) {
            return unknown(acted.failure());
        }
        if (thrown instanceof Steps.StepInterrupted) {
            return unknown(Failure.of(Failure.Category.LEASE_LOST, String.valueOf(thrown.getMessage())));
        }
        FailedAttempt failed = services.attempts().judge(prepared, threw, number(), Failures.delay(row.failure()));
        if (failed.interrupted()) {
            return interrupted(failed, atomic);
        }
        return failure.apply(failed);
    }

    DeliveryResult failedInEarnest(FailedAttempt failed, boolean atomic) {
        if (failed.failure().category() == Failure.Category.AUTH) {
            return handedBack(DeliveryResult.ResultKind.REFUSED, failed.failure());
        }
        if (!atomic && !prepared.isRepeatable() && failed.failure().category().indeterminate()) {
            return unknown(failed.failure());
        }
        return follow(failed);
    }

    /** This node is closing: the message comes back at once, unless it may have acted and must not be repeated. */
    private DeliveryResult interrupted(FailedAttempt failed, boolean atomic) {
        return atomic || prepared.isRepeatable() ? handedBack() : unknown(failed.failure());
    }

    DeliveryResult unknown(Failure failure) {
        return end(
                DeliveryResult.ResultKind.UNKNOWN,
                Transition.PARK,
                Transition.due(Duration.ZERO, Duration.ZERO, -1, kept(failure, null)),
                outcome(
                        EventType.OPERATION_UNKNOWN,
                        Map.of("category", failure.category().code(), "reason", failure.reason())),
                failure);
    }

    DeliveryResult follow(FailedAttempt failed) {
        Failure failure = failed.failure();
        if (failed.decision() instanceof RetryDecision.RetryIn in) {
            return end(
                    DeliveryResult.ResultKind.RETRIED,
                    Transition.RETRY,
                    Transition.due(in.delay(), Duration.ZERO, -1, kept(failure, in.delay())),
                    retry(failed, in.delay()),
                    failure);
        }
        return dead(failed, failed.decision() instanceof RetryDecision.Exhausted);
    }

    /**
     * A dead letter, or nothing but its event where the policy keeps none. Where an onDead handler is registered, the record is
     * put back as dying: the handler runs with the dead letter, when the record is claimed again.
     *
     * @param exhausted whether the last attempt was the last of those that it had
     */
    private DeliveryResult dead(FailedAttempt last, boolean exhausted) {
        PendingDeath death = PendingDeath.of(
                last.failure(), last.attempt(), exhausted, row.status().fence(), last.inputs(prepared));
        boolean handled =
                prepared.policy().options().deadLetters() && services.deaths().has(prepared);
        return handled ? dies(death, Duration.ZERO) : died(death);
    }

    /** Back in its place and dying, its attempt refunded: the next claim records its death. */
    DeliveryResult dies(PendingDeath death, Duration pause) {
        Move.Change back = Transition.due(pause, Duration.ZERO, ended(), death.encode());
        return end(DeliveryResult.ResultKind.DYING, Transition.HAND_BACK, back, null, death.failure());
    }

    DeliveryResult died(PendingDeath death) {
        Policy policy = prepared.policy();
        Events events = services.audits().events();
        Failure failure = death.failure();
        int number = death.attempts();
        boolean exhausted = death.exhausted();
        if (!policy.options().deadLetters()) {
            AuditEntry event = events.drop(prepared.about(), tried(death, DROPPED), exhausted);
            Move.Change removed = Move.Change.NONE.counting(number);
            return ended(DeliveryResult.ResultKind.DROPPED, Transition.RELEASE, removed, List.of(event), failure);
        }
        return ended(
                DeliveryResult.ResultKind.DEAD,
                Transition.FAIL,
                Transition.failure(policy.retention().deadLetters(), Failures.encode(failure))
                        .counting(number),
                events.death(prepared.about(), tried(death, "replay or discard"), exhausted),
                failure);
    }

    private Events.AttemptDetails tried(PendingDeath death, String recovery) {
        int most = prepared.policy().retry().maxAttempts();
        return new Events.AttemptDetails(death.attempts(), most, null, death.failure(), recovery, death.inputs());
    }

    private DeliveryResult end(
            DeliveryResult.ResultKind kind,
            Transition transition,
            Move.Change change,
            @Nullable AuditEntry event,
            @Nullable Failure failure) {
        return ended(kind, transition, change, event == null ? List.of() : List.of(event), failure);
    }

    private DeliveryResult ended(
            DeliveryResult.ResultKind kind,
            Transition transition,
            Move.Change change,
            List<AuditEntry> events,
            @Nullable Failure failure) {
        Move.Place place =
                transition.place(row.line(), prepared.policy().options().deadHead());
        Move.Change whole = (change.attempt() < 0 ? change.counting(number()) : change).at(place);
        return new DeliveryResult(
                kind, transition.telling(row.id(), row.status().fence(), whole, events), failure);
    }

    private @Nullable AuditEntry outcome(EventType type, Map<String, ?> details) {
        return services.audits().events().outcome(type, prepared.about(), details);
    }

    /** Its handler did not begin: no attempt is counted. */
    private Move.Change notRun(Move.Change change) {
        return change.counting(ended());
    }

    private @Nullable AuditEntry retry(FailedAttempt failed, Duration delay) {
        services.watch().retries(prepared, failed.failure());
        return services.audits()
                .events()
                .attempt(EventType.RETRY_ATTEMPT, prepared.about(), failed.tried(prepared, delay, "retry"));
    }
}
