package dev.semel;

import java.time.Duration;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a call: a result, or the reason why there is none and the next step. Closed: {@link #fold} handles
 * every case.
 *
 * @param <R> the operation's result
 */
public sealed interface Answer<R> {

    /** This call ran it. */
    record Executed<R>(@Nullable R result, String correlationId) implements Answer<R> {}

    /** It had been done: the stored result, equal byte for byte to the first. */
    record Replayed<R>(@Nullable R result, String correlationId) implements Answer<R> {}

    /** The operation is in SHADOW: an atomic handler ran and was rolled back, a leased one did not run. Nothing took effect. */
    record Shadowed<R>(@Nullable R result, String correlationId) implements Answer<R> {
        /** The reason, for callers who do not want the result of a dry run. */
        public Notice notice() {
            return new Notice(
                    correlationId,
                    "This kind of work is in SHADOW at the moment: it was rehearsed, and nothing took effect.",
                    Set.of(Next.CHECK_STATUS, Next.CONTACT));
        }
    }

    /** The call itself is invalid: nothing was looked up. */
    record Rejected<R>(Notice notice) implements Answer<R> {}

    /** The key was used with another payload. The first result is not disclosed. */
    record Conflict<R>(Notice notice) implements Answer<R> {}

    /** It failed for good: the stored failure, or this call's own. */
    record Failed<R>(Failure failure, Notice notice) implements Answer<R> {}

    /** It may or may not have taken effect; it is not run again by itself. */
    record Unknown<R>(Notice notice) implements Answer<R> {}

    /** Another run is under way, or it waits in a queue. */
    record InProgress<R>(Notice notice) implements Answer<R> {}

    /**
     * It may be tried again, not before {@code in} has passed: it failed, or this call was not run because a rate limit or an open
     * breaker stopped it, which leaves its record as it was.
     */
    record RetryLater<R>(Duration in, Failure failure, Notice notice) implements Answer<R> {}

    /** Switched off: the record, if there is one, is kept as it is. */
    record Halted<R>(Notice notice) implements Answer<R> {}

    /**
     * Comes with every answer that is not a result: the reason, and the data for the next step.
     *
     * @param correlationId of this very call; {@link Semel#story} finds by it what this call caused
     * @param reason one sentence that a user can read
     * @param recordId of the record that the answer is about, for {@link Semel#status} and {@link Semel#cancel}; absent when there
     *     is none
     */
    record Notice(
            String correlationId,
            String reason,
            Set<Next> next,
            @Nullable String recordId) {
        public Notice {
            next = Set.copyOf(next);
        }

        /** Of an answer that is about no record. */
        public Notice(String correlationId, String reason, Set<Next> next) {
            this(correlationId, reason, next, null);
        }
    }

    /** The next step for the caller. */
    enum Next {
        /** Repeat the call with the same key. */
        RETRY,
        /** See {@link Semel#status}. */
        CHECK_STATUS,
        /** See {@link Semel#cancel}. */
        CANCEL,
        /** A person must look at it: give them the correlation id. */
        CONTACT
    }

    /**
     * The result of Executed or Replayed. Anything else throws {@link SemelException.NoResult}, Shadowed as well: nothing took
     * effect.
     */
    default @Nullable R orThrow() {
        return fold(new Cases<R, @Nullable R>() {
            @Override
            public @Nullable R result(Answer<R> answer, @Nullable R result) {
                return result;
            }

            @Override
            public @Nullable R other(Answer<R> answer, Notice notice) {
                throw new SemelException.NoResult(
                        answer,
                        answer.getClass().getSimpleName() + ": " + notice.reason() + " (correlation "
                                + notice.correlationId() + ")");
            }
        });
    }

    /** As {@link #orThrow}, for a caller to whom the result of a dry run is as good: of Shadowed, too. */
    default @Nullable R orThrowUnlessShadowed() {
        return this instanceof Shadowed<R> rehearsed ? rehearsed.result() : orThrow();
    }

    /** Whether this answer carries the result of something that took effect: Executed or Replayed. */
    default boolean isResult() {
        return this instanceof Executed || this instanceof Replayed;
    }

    /** Calls the one case that applies. */
    default <T> T fold(Cases<R, T> cases) {
        if (this instanceof Executed<R> a) {
            return cases.executed(a);
        } else if (this instanceof Replayed<R> a) {
            return cases.replayed(a);
        } else if (this instanceof Shadowed<R> a) {
            return cases.shadowed(a);
        } else if (this instanceof Rejected<R> a) {
            return cases.rejected(a);
        } else if (this instanceof Conflict<R> a) {
            return cases.conflict(a);
        } else if (this instanceof Failed<R> a) {
            return cases.failed(a);
        } else if (this instanceof Unknown<R> a) {
            return cases.unknown(a);
        } else if (this instanceof InProgress<R> a) {
            return cases.inProgress(a);
        } else if (this instanceof RetryLater<R> a) {
            return cases.retryLater(a);
        } else {
            return cases.halted((Halted<R>) this);
        }
    }

    /** Two cases only: a result, or not. */
    default <T> T fold(Function<@Nullable R, T> onResult, Function<Notice, T> onOther) {
        return fold(new Cases<R, T>() {
            @Override
            public T result(Answer<R> answer, @Nullable R result) {
                return onResult.apply(result);
            }

            @Override
            public T other(Answer<R> answer, Notice notice) {
                return onOther.apply(notice);
            }
        });
    }

    /**
     * A handler of every case. Each one falls back to {@link #result} or {@link #other}, so override as many as differ.
     *
     * @param <R> the operation's result
     * @param <T> what the cases are turned into
     */
    interface Cases<R, T> {
        /** Executed or Replayed, unless these are overridden. */
        T result(Answer<R> answer, @Nullable R result);

        /** Handles every answer that is not a result, unless its own method is overridden. */
        T other(Answer<R> answer, Notice notice);

        /** This call ran it. */
        default T executed(Executed<R> answer) {
            return result(answer, answer.result());
        }

        /** It had been done. */
        default T replayed(Replayed<R> answer) {
            return result(answer, answer.result());
        }

        /** It was rehearsed, and nothing took effect. */
        default T shadowed(Shadowed<R> answer) {
            return other(answer, answer.notice());
        }

        /** The call itself is invalid. */
        default T rejected(Rejected<R> answer) {
            return other(answer, answer.notice());
        }

        /** The key was used with another payload. */
        default T conflict(Conflict<R> answer) {
            return other(answer, answer.notice());
        }

        /** It failed for good. */
        default T failed(Failed<R> answer) {
            return other(answer, answer.notice());
        }

        /** It may or may not have taken effect. */
        default T unknown(Unknown<R> answer) {
            return other(answer, answer.notice());
        }

        /** Another run is under way, or it waits in a queue. */
        default T inProgress(InProgress<R> answer) {
            return other(answer, answer.notice());
        }

        /** It failed, or was not run, and may be tried again. */
        default T retryLater(RetryLater<R> answer) {
            return other(answer, answer.notice());
        }

        /** It is switched off. */
        default T halted(Halted<R> answer) {
            return other(answer, answer.notice());
        }
    }
}
