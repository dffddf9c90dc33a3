package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.audit.EventType;
import dev.semel.audit.Events;
import dev.semel.ledger.Transition;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.OutsideGrant;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Grants leased runs: reserves the record in a commit of its own, or returns the record's answer. */
final class LeaseGrants {
    /** No switchboard is ever at this version. */
    private static final long NO_MODES = -1;

    /** So long after its lease no node is expected any more to take over the run of a handler of this ledger. */
    private static final Duration LONG_OVER = Duration.ofMinutes(15);

    private final AnswerSources sources;
    private final CurrentModes current;
    private final DuplicateShares shares;
    private final RandomGenerator random;
    private final CallPreparation preparation;
    private final CallWatch watch;

    /** @param random for the owners of the reservations */
    LeaseGrants(
            AnswerSources sources,
            CurrentModes current,
            DuplicateShares shares,
            RandomGenerator random,
            CallPreparation preparation,
            CallWatch watch) {
        this.sources = sources;
        this.current = current;
        this.shares = shares;
        this.random = random;
        this.preparation = preparation;
        this.watch = watch;
    }

    /** The outcome of a request for a grant. */
    sealed interface LeaseGrant<P, R> {
        /**
         * Granted under a lease.
         *
         * @param prepared the call as its record has it: see {@link PreparedCall#asStored}
         * @param mode LIVE or SHADOW
         * @param pass of the breaker, to be closed by the run
         */
        record Given<P, R>(PreparedCall<P, R> prepared, Reserved.Granted granted, Mode mode, BreakerPass pass)
                implements LeaseGrant<P, R> {}

        /** @param state of the record that was found; absent when none was */
        record NotGranted<P, R>(Answer<R> answer, @Nullable State state) implements LeaseGrant<P, R> {}
    }

    <P, R> LeaseGrant<P, R> grant(PreparedCall<P, R> prepared) {
        return grant(prepared, false);
    }

    /** @param hasRun whether an earlier attempt of the same call has run */
    <P, R> LeaseGrant<P, R> grant(PreparedCall<P, R> prepared, boolean hasRun) {
        Answers<R> answers = answers(prepared, hasRun);
        DuplicateShares.Share duplicates = shares.of(prepared.header().operation());
        TransactionOutcome.RolledBackWithAnswer<R> stored = duplicates.isHigh() ? answers.findSettled() : null;
        if (stored != null) {
            duplicates.count(true);
            return new LeaseGrant.NotGranted<>(
                    existing(prepared, stored.found(), answers),
                    stored.found().row().state());
        }
        BreakerPass pass = prepared.breaker().pass();
        LeaseGrant<P, R> grant = null;
        try {
            grant = reserve(prepared, answers, duplicates, pass);
            return grant;
        } finally {
            if (!(grant instanceof LeaseGrant.Given)) {
                pass.close();
            }
        }
    }

    private <R> Answers<R> answers(PreparedCall<?, R> prepared, boolean hasRun) {
        Answers<R> answers = sources.to(prepared);
        if (hasRun) {
            answers.attemptBegan();
        }
        return answers;
    }

    private <P, R> LeaseGrant<P, R> reserve(
            PreparedCall<P, R> asking, Answers<R> first, DuplicateShares.Share duplicates, BreakerPass pass) {
        PreparedCall<P, R> prepared = asking;
        Answers<R> answers = first;
        long under = 0;
        while (true) {
            if (!prepared.breaker().isClosed()) {
                // Behind an open breaker no grant is asked for that would tell of a new mode.
                current.fresh();
            }
            CurrentModes.Reading modes = current.of(prepared);
            Supplier<Answer<R>> refusal = refusal(prepared, answers, modes.mode(), pass);
            if (refusal != null) {
                Answer<R> known = lookUp(prepared, answers);
                return new LeaseGrant.NotGranted<>(known != null ? known : refusal.get(), null);
            }
            long since = current.nanos();
            Reserved reserved = sources.ledger().reserve(modes.version(), reservation(prepared, under));
            if (reserved instanceof Reserved.ModesChanged) {
                current.reload();
            } else if (reserved instanceof Reserved.Absent) {
                under = 0;
            } else if (reserved instanceof Reserved.Locked) {
                return new LeaseGrant.NotGranted<>(answers.inProgress(), null);
            } else if (reserved instanceof Reserved.Existing existing) {
                long fence = existing.row().status().fence();
                if (under != fence && mayTakeOverOutside(prepared, existing)) {
                    under = fence;
                    continue;
                }
                under = 0;
                if (!mayBeAskedFor(prepared, existing)) {
                    duplicates.count(true);
                    return new LeaseGrant.NotGranted<>(
                            existing(prepared, existing, answers),
                            existing.row().state());
                }
                prepared = prepared.asStored(existing.row());
                answers = answers(prepared, answers.hasRun());
            } else if (reserved instanceof Reserved.Granted granted) {
                current.confirmed(modes.version(), since);
                duplicates.count(false);
                return new LeaseGrant.Given<>(prepared, granted, modes.mode(), pass);
            }
        }
    }

    /** The answer to a call that may not be granted now, unless its record has one. */
    private <R> @Nullable Supplier<Answer<R>> refusal(
            PreparedCall<?, R> prepared, Answers<R> answers, Mode mode, BreakerPass pass) {
        if (current.isLate(prepared)) {
            return answers::late;
        }
        if (mode == Mode.HALTED) {
            return answers::halted;
        }
        // In SHADOW the handler does not run.
        return mode == Mode.SHADOW || pass.take() ? null : answers::breakerOpen;
    }

    /**
     * For a run without a caller: granted if the record is still under the fence that was read. A record that its
     * owner has released meanwhile is not created again, as no caller wants it. While the breaker is open it is left as it is.
     */
    <P, R> LeaseGrant.@Nullable Given<P, R> takeOver(PreparedCall<P, R> prepared, long fence) {
        BreakerPass pass = prepared.breaker().pass();
        LeaseGrant.Given<P, R> given = null;
        try {
            given = takeOver(prepared, fence, pass);
            return given;
        } finally {
            if (given == null) {
                pass.close();
            }
        }
    }

    private <P, R> LeaseGrant.@Nullable Given<P, R> takeOver(
            PreparedCall<P, R> prepared, long fence, BreakerPass pass) {
        while (true) {
            CurrentModes.Reading modes = current.of(prepared);
            if (modes.mode() == Mode.HALTED || modes.mode() == Mode.LIVE && !pass.take()) {
                return null;
            }
            long since = current.nanos();
            Reserved reserved = sources.ledger().reserve(modes.version(), reservation(prepared, fence));
            if (reserved instanceof Reserved.Granted granted) {
                current.confirmed(modes.version(), since);
                return new LeaseGrant.Given<>(prepared, granted, modes.mode(), pass);
            }
            if (!(reserved instanceof Reserved.ModesChanged)) {
                return null;
            }
            current.reload();
        }
    }

    /** An interrupted run of a caller outside is judged by what its own begin declared: see {@link #reservation}. */
    private static boolean mayTakeOverOutside(PreparedCall<?, ?> prepared, Reserved.Existing existing) {
        Row row = existing.row();
        return prepared.isOutside()
                && prepared.isExactly(row)
                && isOver(existing)
                && isRepeatableOutside(prepared, row, OutsideGrant.of(row.status()));
    }

    private static boolean isRepeatableOutside(PreparedCall<?, ?> prepared, Row row, @Nullable OutsideGrant outside) {
        return outside != null
                && outside.repeatable()
                && row.status().attempt() < prepared.policy().retry().maxAttempts();
    }

    /** Its lease is over, and no worker has it. */
    private static boolean isOver(Reserved.Existing existing) {
        Row row = existing.row();
        return row.state() == State.IN_PROGRESS && row.status().at() <= existing.now() && !row.inLine();
    }

    /** The store grants only an exact match; the same call may be stored in an older form. */
    private static boolean mayBeAskedFor(PreparedCall<?, ?> prepared, Reserved.Existing existing) {
        Row row = existing.row();
        boolean open = row.state() == State.FAILED_RETRYABLE || row.state() == State.IN_PROGRESS;
        return open
                && !row.inLine()
                && row.status().at() <= existing.now()
                && !prepared.isExactly(row)
                && prepared.sameMeaning(row);
    }

    /** Asks for a grant that cannot be given, so that the store judges by its own clock what counts as there. */
    private <P, R> @Nullable Answer<R> lookUp(PreparedCall<P, R> prepared, Answers<R> answers) {
        Reserved reserved = sources.ledger().reserve(NO_MODES, reservation(prepared));
        if (reserved instanceof Reserved.Locked) {
            return answers.inProgress();
        }
        return reserved instanceof Reserved.Existing existing && !mayBeAskedFor(prepared, existing)
                ? existing(prepared, existing, answers)
                : null;
    }

    Reservation reservation(PreparedCall<?, ?> prepared) {
        return reservation(prepared, 0);
    }

    /**
     * A call from outside takes nothing over unless it is under a fence: its own declaration says nothing about the run of another.
     *
     * @param onlyUnder the fence that the record must be under; 0 for any, or an absent record
     */
    private Reservation reservation(PreparedCall<?, ?> prepared, long onlyUnder) {
        return new Reservation(
                prepared.identity(),
                prepared.header(),
                prepared.payload(),
                new Reservation.Grant(
                        prepared.owner() != 0 ? prepared.owner() : random.nextLong(1, Long.MAX_VALUE),
                        prepared.lease().toMillis(),
                        prepared.isOutside() ? onlyUnder != 0 : prepared.isRepeatable(),
                        prepared.policy().retry().maxAttempts(),
                        onlyUnder),
                null,
                sources.audits().events().outcome(EventType.OPERATION_TAKEN_OVER, prepared.about(), Map.of()));
    }

    /** The answer of a record that was not granted. An expired lease that may not be granted again is parked as UNKNOWN. */
    <R> Answer<R> existing(PreparedCall<?, R> prepared, Reserved.Existing existing, Answers<R> answers) {
        Row row = existing.row();
        answers.remember(existing);
        Answer<R> answer = answers.of(row, existing.now());
        if (answer instanceof Answer.InProgress && isOver(existing) && mayPark(prepared, existing)) {
            // Its owner may have ended it, or renewed its lease, since it was looked at: then it is not UNKNOWN.
            return park(prepared.policy().code(), row) instanceof Moved.Refused
                    ? answers.withoutWaiting()
                    : answers.unknown("Its run was interrupted; whether it took effect is being looked into.");
        }
        return answer != null ? answers.audited(answer, row.id()) : answers.inProgress();
    }

    /**
     * A call that would not be granted the record anyhow leaves it to those who know whether it may be repeated. Where there has been
     * nobody who knows for long, a caller outside would wait for ever: the handler may be registered nowhere any more, and grants of
     * earlier versions to callers outside do not say that they are.
     */
    private static boolean mayPark(PreparedCall<?, ?> prepared, Reserved.Existing existing) {
        Row row = existing.row();
        OutsideGrant outside = OutsideGrant.of(row.status());
        if (outside != null) {
            return !isRepeatableOutside(prepared, row, outside);
        }
        return !prepared.isOutside() || existing.now() - row.status().at() >= LONG_OVER.toMillis();
    }

    /** Parks a record whose lease is over and which may not be run again; its payload need not be readable. */
    void park(Operation.Leased<?, ?> operation, Row row) {
        park(preparation.policy(operation.definition()).code(), row);
    }

    /** As {@link #park(Operation.Leased, Row)}, for an operation that this node does not know. */
    void park(Row row) {
        park((String) null, row);
    }

    private Moved park(@Nullable String policyCode, Row row) {
        Move.Change over = new Move.Change(0, 0, row.status().attempts(), true, null, row.failure());
        Move move = Transition.LOSE.of(
                row.id(),
                row.status().fence(),
                over,
                sources.audits()
                        .events()
                        .outcome(
                                EventType.OPERATION_UNKNOWN,
                                Events.About.stored(row.id(), row.header(), policyCode),
                                Map.of("category", "lease_lost")));
        Moved moved = sources.ledger().move(move);
        if (moved instanceof Moved.Applied) {
            watch.unknown(row);
        }
        return moved;
    }
}
