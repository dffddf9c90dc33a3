package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.conformance.Conformance;
import dev.semel.conformance.ConformanceReport;
import dev.semel.conformance.ConformanceReport.Finding;
import dev.semel.conformance.ConformanceReport.RowVerdict;
import dev.semel.conformance.Target;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The conformance suite against services behind the filter. */
class FilterConformanceTest {
    private static final Target.Callers CALLERS = new Target.Callers(
            Map.of("X-User", "alice@acme"), Map.of("X-User", "bob@acme"), Map.of("X-User", "alice@other"));
    private static final String BODY = "{\"name\":\"{n}\",\"amount\":3}";

    @ParameterizedTest
    @EnumSource(Container.class)
    void filterConforms(Container container) {
        AtomicInteger effects = new AtomicInteger();
        try (FilteredServer server = FilteredServer.open(
                container,
                settings -> settings.withRoute(
                                "POST", "/{project}/orders", Rule.required().withLargestRequest(10_000))
                        .withRoute("POST", "/{project}/invoices", Rule.required()),
                (request, response) -> {
                    response.setContentType("application/json");
                    if (request.getMethod().equals("POST")) {
                        response.setStatus(201);
                        response.setHeader("Set-Cookie", "session=secret");
                        response.getWriter().write("{\"id\":" + effects.incrementAndGet() + "}");
                    } else {
                        response.getWriter().write(effects.toString());
                    }
                })) {
            Target target = Target.at(server.at("/7/orders"), BODY)
                    .withCallers(CALLERS)
                    .withPlaces(
                            new Target.Places(server.at("/8/orders"), server.at("/7/invoices"), server.at("/count")))
                    .withLimits(new Target.ServiceLimits(10_000, 409, 16));
            ConformanceReport report = new Conformance(target).run(row -> {});
            assertThat(report.rows()).allMatch(row -> row.verdict() == RowVerdict.HELD, "held");
        }
    }

    @Test
    void rowWithoutItsOptionIsNotObservedAndNamesTheOption() {
        AtomicInteger effects = new AtomicInteger();
        try (FilteredServer server = FilteredServer.with(
                Container.JETTY,
                EngineSettings.on(new MemoryStore(TimeSource.system())),
                settings -> settings.withScope(request -> java.util.Optional.of(KeyScope.of(dev.semel.Tenant.SINGLE)))
                        .withDefault(Rule.required().withLargestRequest(10_000)),
                (request, response) -> response.getWriter().write("{\"id\":" + effects.incrementAndGet() + "}"))) {
            Target target = Target.at(server.at("/orders"), BODY).withLimits(new Target.ServiceLimits(10_000, 409, 4));
            ConformanceReport report = new Conformance(target).run(row -> {});
            assertThat(report.conforms()).as(report.toString()).isTrue();
            assertThat(report.rows())
                    .filteredOn(row -> row.verdict() == RowVerdict.NOT_OBSERVED)
                    .extracting(Finding::row)
                    .containsExactly(
                            "replay.never",
                            "replay.effect",
                            "concurrent.one_runs",
                            "payload.path",
                            "scope.route",
                            "scope.tenant",
                            "scope.principal",
                            "anonymous.no_record",
                            "anonymous.no_replay",
                            "body.short",
                            "client.gone");
            assertThat(report.rows())
                    .filteredOn(row -> row.verdict() == RowVerdict.NOT_OBSERVED)
                    .allMatch(row -> row.detail() != null && row.detail().startsWith("needs "));
        }
    }
}
