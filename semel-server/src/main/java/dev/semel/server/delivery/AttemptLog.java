package dev.semel.server.delivery;

/** Told of every attempt that ended, on the thread of the delivery. Must not throw. */
@FunctionalInterface
public interface AttemptLog {
    /** An attempt has ended. One that was interrupted is not told. */
    void ended(AttemptRecord attempt);
}
