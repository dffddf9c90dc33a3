package dev.semel.cli;

import dev.semel.SemelException;

/** What was asked is not so: there is no such record, or its state does not allow it. Nothing was changed. */
final class Refusal extends SemelException {
    private static final long serialVersionUID = 1;

    Refusal(String message) {
        super(message);
    }
}
