package dev.semel.http;

/**
 * The resource has another version than the caller expects: a 409 {@code concurrency.version_mismatch}, wherever in the handler
 * it is thrown. The response is stored under the key: the caller reads the resource again and uses a new key.
 */
public final class VersionMismatch extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** @param message is the detail of the problem that the caller gets */
    public VersionMismatch(String message) {
        super(message);
    }
}
