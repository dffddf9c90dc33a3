package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses that are large, or have no end. */
@ParameterizedClass
@EnumSource(Container.class)
class StreamTest {
    private static final int KEPT = 1000;
    private static final int HELD = 10_000;

    @Parameter
    private Container container;

    private final AtomicInteger runs = new AtomicInteger();

    private static Rule rule() {
        return Rule.required().withLargestKeptResponse(KEPT).withLargestHeldResponse(HELD);
    }

    private void written(ServletOutputStream out, int bytes) throws IOException {
        runs.incrementAndGet();
        byte[] line = new byte[100];
        for (int i = 0; i < bytes; i += line.length) {
            out.write(line);
            out.flush();
        }
    }

    private static void assertDoneWithoutBody(ReceivedResponse received, boolean replayed) {
        assertThat(received.status()).isEqualTo(200);
        assertThat(received.body()).isEmpty();
        assertThat(received.header("Idempotency-Notice")).hasValue("idempotency.response_not_kept");
        assertThat(received.replayed()).isEqualTo(replayed);
    }

    @Test
    void e14_responseOverTheStoredLimitIsSentOnceAndOverTheHeldLimitNotAtAll() {
        for (Level level : new Level[] {Level.PLAIN, Level.SPAN}) {
            runs.set(0);
            try (FilteredServer server = FilteredServer.open(
                    container,
                    all -> all.withDefault(rule().withLevel(level)),
                    (request, response) -> written(
                            response.getOutputStream(), request.getPathInfo().equals("/large") ? HELD : HELD + 1))) {
                assertThat(server.send(server.post("/large", "k-1", "{}")).body())
                        .hasSize(HELD);
                assertDoneWithoutBody(server.send(server.post("/large", "k-1", "{}")), true);
                assertDoneWithoutBody(server.send(server.post("/larger", "k-2", "{}")), false);
                assertDoneWithoutBody(server.send(server.post("/larger", "k-2", "{}")), true);
                assertThat(runs).hasValue(2);
                assertThat(server.engine()
                                .operator()
                                .list(State.COMPLETED, RecordFilter.ALL, RecordFilter.Cursor.START, 10))
                        .hasSize(2);
            }
        }
    }

    @Test
    void e14_asyncResponseOverTheHeldLimitIsDoneWithoutABody() {
        try (FilteredServer server =
                FilteredServer.open(container, all -> all.withDefault(rule()), (request, response) -> {
                    AsyncContext async = request.startAsync();
                    async.start(() -> {
                        try {
                            written(response.getOutputStream(), HELD * 3);
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                        async.complete();
                    });
                })) {
            assertDoneWithoutBody(server.send(server.post("/a", "k-1", "{}")), false);
            assertDoneWithoutBody(server.send(server.post("/a", "k-1", "{}")), true);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void e14_rejectionOverTheHeldLimitKeepsItsStatus() {
        try (FilteredServer server =
                FilteredServer.open(container, all -> all.withDefault(rule()), (request, response) -> {
                    response.setStatus(422);
                    written(response.getOutputStream(), HELD * 2);
                })) {
            for (int i = 0; i < 2; i++) {
                ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                assertThat(received.status()).isEqualTo(422);
                assertThat(received.body()).isEmpty();
            }
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void e14_gigabytesAreCountedAndNotHeld() throws IOException {
        int each = 1 << 20;
        try (SpoolBuffer spool = new SpoolBuffer(KEPT, HELD);
                FilteredServer server =
                        FilteredServer.open(container, all -> all.withDefault(Rule.off()), (request, response) -> {
                            HeldResponse held = new HeldResponse(response, rule().limits(), spool);
                            byte[] block = new byte[each];
                            for (int i = 0; i < 4096; i++) {
                                held.getOutputStream().write(block);
                                assertThat(spool.size()).isLessThanOrEqualTo(HELD);
                            }
                            assertThat(held.isTooLargeToHold()).isTrue();
                            held.release();
                        })) {
            assertDoneWithoutBody(server.send(server.post("/a", "k-1", "{}")), false);
        }
    }

    @Test
    void e14_streamUnderAKeyFailsUnlessItsRouteHoldsStreams() {
        for (String type : new String[] {"text/event-stream;charset=UTF-8", "application/x-ndjson"}) {
            App events = (request, response) -> {
                IdempotentExchange.of(request).ifPresent(IdempotentExchange::noEffect);
                response.setContentType(type);
                response.getWriter().write("data: 1\n\n");
                response.flushBuffer();
            };
            try (FilteredServer server =
                    FilteredServer.open(container, all -> all.withDefault(Rule.optional()), events)) {
                assertThat(server.send(server.request("POST", "/a", "{}")).text())
                        .isEqualTo("data: 1\n\n");
                assertThat(server.send(server.post("/a", "k-1", "{}")).status()).isEqualTo(500);
            }
            try (FilteredServer server = FilteredServer.open(
                    container, all -> all.withDefault(Rule.required().withHeldStreams()), events)) {
                for (int i = 0; i < 2; i++) {
                    ReceivedResponse received = server.send(server.post("/a", "k-1", "{}"));
                    assertThat(received.text()).isEqualTo("data: 1\n\n");
                    assertThat(received.replayed()).isEqualTo(i == 1);
                }
            }
        }
    }

    /** With Accept a caller chooses the type of an ordinary answer, and must not make its handler fail by that. */
    @Test
    void e14_responseOfARequestedStreamTypeIsHeldUnlessItIsWrittenAsynchronously() {
        App negotiating = (request, response) -> {
            response.setContentType(request.getHeader("Accept").split(",")[0] + ";charset=UTF-8");
            if (request.getPathInfo().equals("/emitter")) {
                request.startAsync().complete();
            }
            response.getWriter().write("placed");
            response.flushBuffer();
        };
        try (FilteredServer server =
                FilteredServer.open(container, all -> all.withDefault(Rule.required()), negotiating)) {
            for (String type : new String[] {"text/event-stream", "application/stream+json"}) {
                for (int i = 0; i < 2; i++) {
                    ReceivedResponse received =
                            server.send(server.post("/a", type, "{}").header("Accept", type + ", */*"));
                    assertThat(received.status()).isEqualTo(200);
                    assertThat(received.text()).isEqualTo("placed");
                    assertThat(received.replayed()).isEqualTo(i == 1);
                }
            }
            assertThat(server.send(server.post("/emitter", "k-1", "{}").header("Accept", "Text/Event-Stream"))
                            .status())
                    .isEqualTo(500);
        }
    }
}
