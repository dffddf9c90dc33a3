package dev.semel.execution;

import dev.semel.Answer;
import org.jspecify.annotations.Nullable;

/** How one try of a direct atomic call ended. */
sealed interface Attempt<R> {
    /** With an answer; {@code snapshot} is set when the result was written and is final once the transaction commits. */
    record Answered<R>(Answer<R> answer, @Nullable Snapshot snapshot) implements Attempt<R> {}

    /** The modes must be read again. */
    record ModesChanged<R>() implements Attempt<R> {}

    /** The handler threw; its writes are undone. */
    record Threw<R>(Throwable thrown, LeaseKeeper.Stop stop, int number) implements Attempt<R> {}

    /** The bytes of a result. */
    record Snapshot(byte @Nullable [] result) {}
}
