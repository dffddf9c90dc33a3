package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.engine.EngineSettings;
import dev.semel.http.conformance.Conformance;
import dev.semel.http.conformance.ConformanceReport;
import dev.semel.http.conformance.ConformanceReport.Finding;
import dev.semel.http.conformance.ConformanceReport.RowVerdict;
import dev.semel.http.conformance.Target;
import dev.semel.store.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The suite finds every flaw that was planted for it, and nothing where there is none. */
class ConformanceTest {
    private static final Target.Callers CALLERS = new Target.Callers(
            Map.of("X-User", "alice@acme"), Map.of("X-User", "bob@acme"), Map.of("X-User", "alice@other"));
    private static final String BODY = "{\"name\":\"{n}\",\"amount\":3}";

    @ParameterizedTest
    @EnumSource(BrokenServer.Flaw.class)
    @Execution(ExecutionMode.CONCURRENT)
    void everyFlawIsDetected(BrokenServer.Flaw flaw) {
        try (BrokenServer server = new BrokenServer(flaw)) {
            Target target = Target.at(server.at("/7/orders"), BODY)
                    .withCallers(CALLERS)
                    .withPlaces(
                            new Target.Places(server.at("/8/orders"), server.at("/7/invoices"), server.at("/count")))
                    .withLimits(new Target.ServiceLimits(Long.parseLong(BrokenServer.LARGEST), 409, 8));
            ConformanceReport report = new Conformance(target).run(server::checking);
            List<String> broken = report.rows().stream()
                    .filter(row -> row.verdict() == RowVerdict.BROKEN)
                    .map(Finding::row)
                    .toList();
            if (flaw == BrokenServer.Flaw.NONE) {
                assertThat(report.rows()).allMatch(row -> row.verdict() == RowVerdict.HELD, "held");
                assertThat(report.complete()).isTrue();
            } else {
                assertThat(broken).as(report.toString()).contains(flaw.row());
                assertThat(report.conforms()).isFalse();
            }
        }
    }

    @Test
    void everyRowDetectsAFlaw() {
        List<String> promised = new ArrayList<>();
        try (BrokenServer server = new BrokenServer(BrokenServer.Flaw.NONE)) {
            Target target = Target.at(server.at("/7/orders"), BODY).withCallers(CALLERS);
            new Conformance(target).run(promised::add);
        }
        List<String> planted = new ArrayList<>();
        for (BrokenServer.Flaw flaw : BrokenServer.Flaw.values()) {
            planted.add(flaw.row());
        }
        assertThat(planted).containsAll(promised);
    }

    @ParameterizedTest
    @EnumSource(Container.class)
    void filterConforms(Container container) {
        AtomicInteger effects = new AtomicInteger();
        try (Site site = Site.open(
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
            Target target = Target.at(site.at("/7/orders"), BODY)
                    .withCallers(CALLERS)
                    .withPlaces(new Target.Places(site.at("/8/orders"), site.at("/7/invoices"), site.at("/count")))
                    .withLimits(new Target.ServiceLimits(10_000, 409, 16));
            ConformanceReport report = new Conformance(target).run(row -> {});
            assertThat(report.rows()).allMatch(row -> row.verdict() == RowVerdict.HELD, "held");
        }
    }

    /** The effect of these flaws shows in no answer: only a count can tell. */
    @ParameterizedTest
    @EnumSource(
            value = BrokenServer.Flaw.class,
            names = {"TAKES_EFFECT_TWICE", "LOOKS_THEN_RUNS", "RUNS_HALF_BODIES"})
    @Execution(ExecutionMode.CONCURRENT)
    void rowThatNeedsACountIsNotHeldWithoutIt(BrokenServer.Flaw flaw) {
        try (BrokenServer server = new BrokenServer(flaw)) {
            Target target = Target.at(server.at("/7/orders"), BODY)
                    .withCallers(CALLERS)
                    .withLimits(new Target.ServiceLimits(Long.parseLong(BrokenServer.LARGEST), 409, 8));
            ConformanceReport report = new Conformance(target).run(server::checking);
            assertThat(report.rows())
                    .filteredOn(row -> row.row().equals(flaw.row()))
                    .allMatch(row -> row.verdict() != RowVerdict.HELD, "not held");
            assertThat(report.complete()).isFalse();
        }
    }

    @Test
    void rowWithoutItsOptionIsNotObservedAndNamesTheOption() {
        AtomicInteger effects = new AtomicInteger();
        try (Site site = Site.with(
                Container.JETTY,
                EngineSettings.on(new MemoryStore(TimeSource.system())),
                settings -> settings.withScope(request -> java.util.Optional.of(KeyScope.of(dev.semel.Tenant.SINGLE)))
                        .withDefault(Rule.required().withLargestRequest(10_000)),
                (request, response) -> response.getWriter().write("{\"id\":" + effects.incrementAndGet() + "}"))) {
            Target target = Target.at(site.at("/orders"), BODY).withLimits(new Target.ServiceLimits(10_000, 409, 4));
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

    @Test
    void rejectingOrUnreachableServiceFailsAtOnce() {
        try (BrokenServer server = new BrokenServer(BrokenServer.Flaw.NONE)) {
            assertThatThrownBy(() -> new Conformance(Target.at(server.at("/7/orders"), BODY)).run(row -> {}))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("the service responded 401");
        }
        assertThatThrownBy(() -> new Conformance(Target.at(URI.create("http://127.0.0.1:1/"), BODY)).run(row -> {}))
                .isInstanceOf(SemelException.StoreUnavailable.class)
                .hasMessageContaining("failed (java.net.ConnectException");
    }

    @Test
    void targetReportsAllFaults() {
        assertThatThrownBy(() -> Target.at(URI.create("ftp://127.0.0.1/"), "[1]")
                        .withLimits(new Target.ServiceLimits(0, 409, 1)))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("neither http nor https")
                .hasMessageContaining("{n}");
        assertThatThrownBy(() -> Target.at(URI.create("http://127.0.0.1/"), BODY)
                        .withLimits(new Target.ServiceLimits(0, 409, 1)))
                .hasMessageContaining("a crowd of 1")
                .hasMessageContaining("a largest request of 0 bytes");
    }
}
