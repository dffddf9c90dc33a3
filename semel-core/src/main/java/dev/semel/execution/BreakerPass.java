package dev.semel.execution;

import dev.semel.Failure;
import dev.semel.SemelException;

/** The permission of one attempt to run its handler. It is counted once by the handler's end, and given back if it had none. */
final class BreakerPass implements AutoCloseable {
    private final ReceiverBreaker breaker;
    private boolean taken;

    BreakerPass(ReceiverBreaker breaker) {
        this.breaker = breaker;
    }

    /** Whether the handler may run. May be asked again. */
    boolean take() {
        taken = taken || breaker.tryDirectCall();
        return taken;
    }

    void returned() {
        if (taken) {
            taken = false;
            breaker.succeeded();
            breaker.directCallEnded();
        }
    }

    /** Counts what says something about the receiver: not a lost lease, a mode, or the caller's own interrupt. */
    void threw(PreparedCall<?, ?> prepared, HandlerOutcome.Threw<?> threw) {
        if (!taken || breaker.isNone()) {
            return;
        }
        boolean judged = switch (threw.stop()) {
            case TIMED_OUT -> true;
            case NONE -> isOfHandler(threw.thrown());
            default -> false;
        };
        if (judged) {
            Failure failure = AttemptJudge.failure(prepared, threw);
            taken = false;
            breaker.count(failure);
            breaker.directCallEnded();
        }
    }

    private static boolean isOfHandler(Throwable thrown) {
        return !(thrown instanceof Steps.RunHalted
                || thrown instanceof Steps.RunShadowed
                || thrown instanceof Steps.StepInterrupted
                || thrown instanceof ResultNotKept
                || thrown instanceof SemelException.LeaseLost
                || thrown instanceof InterruptedException);
    }

    @Override
    public void close() {
        if (taken) {
            taken = false;
            breaker.release(1);
            breaker.directCallEnded();
        }
    }
}
