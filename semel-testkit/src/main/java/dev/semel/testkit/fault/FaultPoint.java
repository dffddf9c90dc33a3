package dev.semel.testkit.fault;

import dev.semel.SemelException;
import java.net.SocketException;
import java.util.function.Supplier;

/** Where a call meets its fault. */
record FaultPoint(Faults faults) {
    <T> T pass(StoreCall call, Supplier<T> action) {
        Faults.Fault fault = faults.at(call);
        switch (fault) {
            case FAIL_BEFORE -> throw unavailable(call);
            case UNKNOWN -> throw unknown(call);
            case NONE, FAIL_AFTER, LOSE_REPLY -> {}
        }
        T answer = action.get();
        faults.done(call);
        switch (fault) {
            case FAIL_AFTER -> throw unavailable(call);
            case LOSE_REPLY -> throw unknown(call);
            default -> {
                return answer;
            }
        }
    }

    static SemelException unavailable(StoreCall call) {
        return new SemelException.StoreUnavailable("A fault was injected at " + call + ": the store is unavailable.");
    }

    static SemelException unknown(StoreCall call) {
        return new SemelException.OutcomeUnknown(
                "A fault was injected at " + call + ": the outcome is unknown. Repeat the call.",
                new SocketException("injected"));
    }
}
