package dev.semel.examples.demo;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.core.WireMockConfiguration;
import com.github.tomakehurst.wiremock.extension.ResponseDefinitionTransformerV2;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.http.ResponseDefinition;
import com.github.tomakehurst.wiremock.stubbing.Scenario;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/** A server of WireMock that plays another service: it behaves as its responder says, unless it is told to fail. */
public final class StandIn implements AutoCloseable {
    private static final int FAULTS_FIRST = 1;
    private static final String TRANSFORMER = "responder";

    private final WireMockServer server;
    private final AtomicInteger scenarios = new AtomicInteger();

    /** Answers requests. Must be thread-safe. */
    @FunctionalInterface
    public interface Responder {
        /** The answer to a request. */
        ResponseDefinitionBuilder answer(Request request);
    }

    /** Starts on a free port of this machine. */
    public StandIn(Responder responder) {
        server = new WireMockServer(WireMockConfiguration.wireMockConfig()
                .dynamicPort()
                .bindAddress("127.0.0.1")
                .extensions(new Transformer(responder)));
        server.start();
        server.stubFor(
                WireMock.any(WireMock.anyUrl()).willReturn(WireMock.aResponse().withTransformers(TRANSFORMER)));
    }

    private record Transformer(Responder responder) implements ResponseDefinitionTransformerV2 {
        @Override
        public ResponseDefinition transform(ServeEvent event) {
            return responder.answer(event.getRequest()).build();
        }

        @Override
        public String getName() {
            return TRANSFORMER;
        }

        @Override
        public boolean applyGlobally() {
            return false;
        }
    }

    /** Where it listens. */
    public URI uri() {
        return URI.create(server.baseUrl());
    }

    /** The next so many requests of a path are answered by a fault and have no effect. */
    public void fail(String path, int times, ResponseDefinitionBuilder fault) {
        String scenario = "fault-" + scenarios.incrementAndGet();
        for (int i = 0; i < times; i++) {
            server.stubFor(WireMock.any(WireMock.urlPathEqualTo(path))
                    .atPriority(FAULTS_FIRST)
                    .inScenario(scenario)
                    .whenScenarioStateIs(i == 0 ? Scenario.STARTED : "failed " + i)
                    .willSetStateTo("failed " + (i + 1))
                    .willReturn(fault));
        }
    }

    /** How often a path was requested. */
    public int requests(String path) {
        return server.countRequestsMatching(
                        WireMock.anyRequestedFor(WireMock.urlPathEqualTo(path)).build())
                .getCount();
    }

    @Override
    public void close() {
        server.stop();
    }
}
