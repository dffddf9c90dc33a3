/** Checks from outside whether a running service keeps the {@code Idempotency-Key} contract. */
module dev.semel.conformance {
    requires transitive dev.semel;
    requires java.net.http;

    exports dev.semel.conformance;
}
