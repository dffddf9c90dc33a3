package dev.semel.jdbc.planted;

import dev.semel.jdbc.planted.postgres.Claim;
import dev.semel.jdbc.planted.shared.Rule;

/** The front may use what is shared, but names no engine. */
public final class Front {
    private Front() {}

    public static Object allowed() {
        return new Rule();
    }

    public static Object engine() {
        return new Claim();
    }
}
