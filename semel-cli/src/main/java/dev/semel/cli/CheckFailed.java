package dev.semel.cli;

import dev.semel.SemelException;

/** A check failed: there is no such record, or its state does not allow the action. Nothing was changed. */
final class CheckFailed extends SemelException {
    private static final long serialVersionUID = 1;

    CheckFailed(String message) {
        super(message);
    }
}
