package dev.semel.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.conformance.Conformance;
import dev.semel.conformance.ConformanceReport;
import dev.semel.conformance.ConformanceReport.RowVerdict;
import dev.semel.conformance.Target;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The conformance suite against an API behind the gateway, which itself knows nothing of idempotency keys. */
@Timeout(180)
class GatewayConformanceTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"repeatable: false", "repeatable: true"})
    void gatewayConforms(String repeatable) throws Exception {
        AtomicInteger effects = new AtomicInteger();
        try (TestApi api = new TestApi();
                GatewayServer server = GatewayServer.start(
                        directory,
                        api.url(),
                        repeatable,
                        "largest-request: 10000B",
                        "templates: [\"/{project}/orders\", \"/{project}/invoices\"]")) {
            api.converses((call, out) -> TestApi.write(
                    out,
                    call.line().startsWith("POST")
                            ? TestApi.answer(
                                    201,
                                    "{\"id\":" + effects.incrementAndGet() + "}",
                                    "Content-Type: application/json\r\n",
                                    "Set-Cookie: session=secret\r\n")
                            : TestApi.answer(200, effects.toString(), "Content-Type: application/json\r\n")));
            Target target = Target.at(server.at("/7/orders"), "{\"name\":\"{n}\",\"amount\":3}")
                    .withCallers(new Target.Callers(
                            GatewayServer.as(GatewayServer.ALICE),
                            GatewayServer.as(GatewayServer.BOB),
                            GatewayServer.as(GatewayServer.EVE)))
                    .withPlaces(
                            new Target.Places(server.at("/8/orders"), server.at("/7/invoices"), server.at("/count")))
                    .withLimits(new Target.ServiceLimits(10_000, 409, 16));
            ConformanceReport report = new Conformance(target).run(row -> {});
            assertThat(report.rows()).as(report.toString()).allMatch(row -> row.verdict() == RowVerdict.HELD, "held");
        }
    }
}
