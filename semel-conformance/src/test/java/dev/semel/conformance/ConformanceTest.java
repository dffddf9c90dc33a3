package dev.semel.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.conformance.ConformanceReport.Finding;
import dev.semel.conformance.ConformanceReport.RowVerdict;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
