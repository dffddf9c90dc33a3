package dev.semel.http;

/**
 * The resource is at another version than the caller said: a 409 {@code concurrency.version_mismatch}, wherever in the handler
 * it is thrown. Kept as the answer to the key: the caller reads the resource again and uses a new key.
 */
public final class VersionMismatch extends RuntimeException {
    private static final long serialVersionUID = 1;

    public VersionMismatch(String message) {
        super(message);
    }
}
