/**
 * Makes operations take effect exactly once.
 *
 * <p>Applications need {@code dev.semel}, and {@code dev.semel.watch} for registries of their own. Authors of stores need
 * {@code dev.semel.store}, with the identities ({@code dev.semel.key}) and clocks ({@code dev.semel.time}) that pass through it. The
 * engine is exported to Semel's own modules only and changes without notice.
 *
 * <p>A module whose payloads and results are its own types opens their package to {@code tools.jackson.databind}.
 */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"})
module dev.semel {
    requires java.net.http;
    requires transitive java.sql;
    requires transitive tools.jackson.databind;
    requires com.fasterxml.jackson.annotation;
    requires com.github.benmanes.caffeine;
    requires io.github.resilience4j.circuitbreaker;
    requires org.slf4j;
    requires static transitive org.jspecify;
    requires static micrometer.core;
    requires static micrometer.observation;
    requires static micrometer.commons;

    exports dev.semel;
    exports dev.semel.key;
    exports dev.semel.store;
    exports dev.semel.time;
    exports dev.semel.watch;
    exports dev.semel.audit to
            dev.semel.console,
            dev.semel.testkit;
    exports dev.semel.engine to
            dev.semel.console,
            dev.semel.http,
            dev.semel.spring,
            dev.semel.testkit;
    exports dev.semel.execution to
            dev.semel.console,
            dev.semel.http,
            dev.semel.testkit;
    exports dev.semel.ledger to
            dev.semel.testkit;
    exports dev.semel.operator to
            dev.semel.console,
            dev.semel.http,
            dev.semel.spring,
            dev.semel.testkit;
    exports dev.semel.policy to
            dev.semel.console,
            dev.semel.http,
            dev.semel.spring,
            dev.semel.testkit;
    exports dev.semel.worker to
            dev.semel.console,
            dev.semel.spring;

    opens dev.semel.operator to
            tools.jackson.databind;

    uses dev.semel.Semel.Provider;
    uses dev.semel.store.StoreProvider;

    provides dev.semel.Semel.Provider with
            dev.semel.engine.Engine.Opener;
}
