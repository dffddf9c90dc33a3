package dev.semel.execution;

import dev.semel.Answer;
import dev.semel.store.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a gateway's run ended in the ledger. */
public sealed interface Settled {
    /**
     * As its gateway said, and that is recorded.
     *
     * @param again when it failed and may be run again: not before this has passed
     */
    record Recorded(@Nullable Duration again) implements Settled {}

    /**
     * Its gateway said that it failed or leaves nothing, but an effect that it marked is committed. It is not run
     * again: a failed run is UNKNOWN, and a run with an answer is COMPLETED with it.
     *
     * @param answered whether there is an answer, which is replayed
     */
    record EffectCommitted(boolean answered) implements Settled {}

    /**
     * It was not this call that ended it, or that could not be recorded.
     *
     * @param answer the record's answer; a replay of null is an effect whose answer was lost
     * @param state of the record that was found; absent when none was
     */
    record Answered(Answer<byte[]> answer, @Nullable State state) implements Settled, Begun {}

    /** How a gateway's run began: granted, or answered at once. */
    sealed interface Begun permits GatewayRun, Answered {}
}
