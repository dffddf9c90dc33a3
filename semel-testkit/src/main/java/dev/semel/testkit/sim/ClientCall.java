package dev.semel.testkit.sim;

import dev.semel.testkit.history.Event;
import org.jspecify.annotations.Nullable;

/** One call of a client. */
final class ClientCall {
    final String record;
    final String payload;
    final long call;
    boolean entered;
    Event.@Nullable Ending ending;

    ClientCall(String payload, long call) {
        this.record = record(payload);
        this.payload = payload;
        this.call = call;
    }

    String correlationId() {
        return "c-" + call;
    }

    /** A payload is {@code operation/key:variant}. */
    static String record(String payload) {
        return payload.substring(0, payload.indexOf(':'));
    }
}
