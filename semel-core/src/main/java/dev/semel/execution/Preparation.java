package dev.semel.execution;

import dev.semel.Call;

/** What can be said of a call that could not be made ready. */
final class Preparation {
    private Preparation() {}

    static String correlationId(Call<?> call) {
        String given = call.origin().correlationId();
        return given == null ? "none" : given;
    }
}
