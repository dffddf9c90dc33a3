package dev.semel.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client's side: one key for all tries, and no more of them than help. */
class RetryingClientTest {
    private final ManualTime time = new ManualTime(1_700_000_000_000L);
    private final List<String> keys = Collections.synchronizedList(new ArrayList<>());
    private final List<String> script = Collections.synchronizedList(new ArrayList<>());
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            keys.add(String.valueOf(exchange.getRequestHeaders().get("Idempotency-Key")));
            exchange.getRequestBody().readAllBytes();
            String[] answer = (script.isEmpty() ? "200" : script.remove(0)).split(" ", 2);
            if (answer[0].equals("hang-up")) {
                exchange.close();
                return;
            }
            if (answer.length > 1) {
                exchange.getResponseHeaders().set("Retry-After", answer[1]);
            }
            exchange.sendResponseHeaders(Integer.parseInt(answer[0]), -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private HttpRequest.Builder post() {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/a"))
                .POST(HttpRequest.BodyPublishers.ofString("{}"));
    }

    private RetryingClient client() {
        return RetryingClient.of(FilteredServer.CLIENT).withTime(time).withRandom(new SplittableRandom(7));
    }

    private int sent(HttpRequest.Builder request) throws Exception {
        return client().send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void allAttemptsHaveTheSameKey() throws Exception {
        script.addAll(List.of("503 1", "hang-up", "409 1", "201"));
        assertThat(sent(post())).isEqualTo(201);
        assertThat(keys).hasSize(4);
        assertThat(keys.stream().distinct()).hasSize(1);
        assertThat(keys.get(0)).hasSize(38);
    }

    @Test
    void requestsOwnKeyIsUsedAndReadsGetNone() throws Exception {
        script.addAll(List.of("503", "201"));
        assertThat(sent(post().header("Idempotency-Key", "mine"))).isEqualTo(201);
        assertThat(keys).containsExactly("[mine]", "[mine]");
        keys.clear();
        assertThat(sent(post().GET())).isEqualTo(200);
        assertThat(keys).containsExactly("null");
    }

    /** A service that only asks others has no servlets. */
    @Test
    void clientWorksWithoutTheServletApi() throws Exception {
        URL[] without = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.matches(".*(tomcat|jetty|servlet).*"))
                .map(RetryingClientTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> loader.loadClass("jakarta.servlet.Filter"))
                    .isInstanceOf(ClassNotFoundException.class);
            Class<?> rules = loader.loadClass(RetryRules.class.getName());
            Object usual = rules.getMethod("usual").invoke(null);
            assertThat(rules.getMethod("newKey", String.class).invoke(usual, "POST"))
                    .isNotEqualTo(Optional.empty());
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void retryAfterIsTheShortestPause() throws Exception {
        script.addAll(List.of("429 30", "409 Tue, 14 Nov 2023 22:14:20 GMT", "201"));
        long before = time.nanos();
        assertThat(sent(post())).isEqualTo(201);
        assertThat(Duration.ofNanos(time.nanos() - before)).isGreaterThanOrEqualTo(Duration.ofSeconds(59));
    }

    @Test
    void streamedBodyIsClosedBeforeTheNextAttempt() throws Exception {
        script.addAll(List.of("503 1", "200"));
        List<Boolean> closed = new ArrayList<>();
        client().send(
                        post().build(),
                        info -> HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofInputStream(), in -> closing(in, closed)));
        assertThat(closed).containsExactly(true, false);
        script.addAll(List.of("503 1", "200"));
        closed.clear();
        client().send(
                        post().build(),
                        info -> HttpResponse.BodySubscribers.mapping(
                                HttpResponse.BodySubscribers.ofLines(StandardCharsets.UTF_8), lines -> {
                                    int number = closed.size();
                                    closed.add(false);
                                    return lines.onClose(() -> closed.set(number, true));
                                }));
        assertThat(closed).containsExactly(true, false);
    }

    private static InputStream closing(InputStream in, List<Boolean> closed) {
        int number = closed.size();
        closed.add(false);
        return new FilterInputStream(in) {
            @Override
            public void close() throws IOException {
                closed.set(number, true);
                super.close();
            }
        };
    }

    @Test
    void mismatchesUnknownOutcomesAndRejectionsAreNotRetried() throws Exception {
        for (String answer : new String[] {"409", "422", "400", "401", "403", "404", "410", "501", "409 soon"}) {
            keys.clear();
            script.clear();
            script.add(answer);
            assertThat(sent(post())).isEqualTo(Integer.parseInt(answer.substring(0, 3)));
            assertThat(keys).as(answer).hasSize(1);
        }
    }

    @Test
    void clientGivesUpAfterTheLastAttemptOrATooLongRetryAfter() throws Exception {
        script.addAll(Collections.nCopies(9, "503"));
        assertThat(sent(post())).isEqualTo(503);
        assertThat(keys).hasSize(5);
        keys.clear();
        script.clear();
        script.add("503 999999999999999999999");
        assertThat(sent(post())).isEqualTo(503);
        assertThat(keys).hasSize(1);
    }

    @Test
    void permanentlyBrokenConnectionIsThrownToTheCaller() {
        script.addAll(Collections.nCopies(9, "hang-up"));
        Policy two = Policy.named("two").withMaxAttempts(2).build();
        RetryingClient client = client().withPolicy(two).withKeys(() -> "made");
        assertThatThrownBy(() -> client.send(post().build(), HttpResponse.BodyHandlers.discarding()))
                .isInstanceOf(IOException.class);
        assertThat(keys.stream().distinct()).containsExactly("[made]");
        assertThatThrownBy(() -> client.sendAsync(post().build(), HttpResponse.BodyHandlers.discarding(), Runnable::run)
                        .get())
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() ->
                        client.withKeys(() -> "not valid").send(post().build(), HttpResponse.BodyHandlers.discarding()))
                .isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void clientRetriesUntilItGetsTheFirstResponse() throws Exception {
        EngineSettings engine =
                EngineSettings.on(new MemoryStore(time)).withTime(time).withoutBackground();
        try (FilteredServer filtered =
                FilteredServer.open(Container.JETTY, engine, all -> all.withTime(time), (request, response) -> {
                    IdempotentExchange.of(request).orElseThrow().noEffect();
                    response.setStatus(keys.size() < 2 ? 503 : 201);
                    keys.add(request.getHeader("Idempotency-Key"));
                })) {
            HttpResponse<Void> response = client().sendAsync(
                            filtered.request("POST", "/a", "{}").build(),
                            HttpResponse.BodyHandlers.discarding(),
                            Runnable::run)
                    .get();
            assertThat(response.statusCode()).isEqualTo(201);
            assertThat(keys.stream().distinct()).hasSize(1);
        }
    }
}
