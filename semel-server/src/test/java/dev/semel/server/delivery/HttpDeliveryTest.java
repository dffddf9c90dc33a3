package dev.semel.server.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.SemelException;
import dev.semel.server.config.DestinationConfig.Target;
import dev.semel.testkit.Await;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One delivery: what is sent, what an answer means, and what is remembered of it. */
class HttpDeliveryTest {
    private final Destinations destinations = Destinations.open();

    @AfterEach
    void close() {
        destinations.close();
    }

    @Test
    void rawBodyIsPostedWithItsTypeAndTheKeysOfTheRun() throws Exception {
        try (RawServer server = RawServer.answering(204)) {
            HttpDelivery delivery = destinations.delivery(Destinations.target(server.url()));
            delivery.handle(
                    Destinations.webhook("{\"name\": \"J\u00f6rg\" }\n", "application/json; charset=utf-8", Map.of()),
                    new TestRun(3, 4711, "semel-0011223344556677", "corr-9", false));
            RawServer.ReceivedPost post = server.received().get(0);
            assertThat(post.line()).isEqualTo("POST /in?a=b HTTP/1.1");
            assertThat(post.body()).isEqualTo("{\"name\": \"J\u00f6rg\" }\n");
            assertThat(post.header("content-type")).isEqualTo("application/json; charset=utf-8");
            assertThat(post.header("idempotency-key")).isEqualTo("semel-0011223344556677");
            assertThat(post.header("webhook-id")).isEqualTo("semel-0011223344556677");
            assertThat(post.header("semel-fence")).isEqualTo("4711");
            assertThat(post.header("semel-attempt")).isEqualTo("3");
            assertThat(post.header("x-correlation-id")).isEqualTo("corr-9");
            assertThat(post.header("user-agent")).startsWith("Semel/");
            assertThat(post.header("host")).isEqualTo("127.0.0.1:" + server.port());
            assertThat(post.names())
                    .doesNotHaveDuplicates()
                    .doesNotContain("accept-encoding", "cookie", "authorization", "webhook-signature");
        }
    }

    @Test
    void onlyHarmlessHeadersOfTheWebhookArePassedOn() throws Exception {
        Map<String, String> kept = Map.ofEntries(
                Map.entry("x-github-event", "push"),
                Map.entry("ce-type", "order.paid"),
                Map.entry("traceparent", "00-1-1-01"),
                Map.entry("content-encoding", "gzip"),
                Map.entry("host", "internal"),
                Map.entry("content-length", "9999"),
                Map.entry("transfer-encoding", "chunked"),
                Map.entry("connection", "close"),
                Map.entry("authorization", "Bearer abc"),
                Map.entry("cookie", "a=b"),
                Map.entry("x-gitlab-token", "hush"),
                Map.entry("x-api-key", "hush"),
                Map.entry("x-forwarded-for", "10.0.0.1"),
                Map.entry("x-http-method-override", "DELETE"),
                Map.entry("x-correlation-id", "other"),
                Map.entry("webhook-id", "msg_1"),
                Map.entry("webhook-signature", "v1,abc"),
                Map.entry("idempotency-key", "other"),
                Map.entry("x-broken", "a\r\nHost: evil"));
        try (RawServer server = RawServer.answering(200)) {
            HttpDelivery delivery = destinations.delivery(Destinations.target(server.url()));
            delivery.handle(Destinations.webhook("{}", null, kept), TestRun.FIRST);
            RawServer.ReceivedPost post = server.received().get(0);
            assertThat(post.header("x-github-event")).isEqualTo("push");
            assertThat(post.header("ce-type")).isEqualTo("order.paid");
            assertThat(post.header("traceparent")).isEqualTo("00-1-1-01");
            assertThat(post.header("content-encoding")).isEqualTo("gzip");
            assertThat(post.header("host")).isEqualTo("127.0.0.1:" + server.port());
            assertThat(post.header("content-length")).isEqualTo("2");
            assertThat(post.header("webhook-id")).isEqualTo(TestRun.FIRST.downstreamKey());
            assertThat(post.header("idempotency-key")).isEqualTo(TestRun.FIRST.downstreamKey());
            assertThat(post.header("x-correlation-id")).isEqualTo("corr-1");
            assertThat(post.names())
                    .doesNotHaveDuplicates()
                    .doesNotContain(
                            "transfer-encoding",
                            "authorization",
                            "cookie",
                            "x-gitlab-token",
                            "x-api-key",
                            "x-forwarded-for",
                            "x-http-method-override",
                            "webhook-signature",
                            "x-broken");
        }
    }

    @Test
    void configuredHeadersReplaceThoseOfTheWebhook() throws Exception {
        try (RawServer server = RawServer.answering(200)) {
            Target target = withHeaders(server.url(), Map.of("Authorization", "Bearer t0p", "X-Team", "billing"));
            destinations
                    .delivery(target)
                    .handle(Destinations.webhook("{}", null, Map.of("x-team", "sender")), TestRun.FIRST);
            RawServer.ReceivedPost post = server.received().get(0);
            assertThat(post.header("authorization")).isEqualTo("Bearer t0p");
            assertThat(post.header("x-team")).isEqualTo("billing");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "content-length",
                "Transfer-Encoding",
                "Connection",
                "webhook-id",
                "Idempotency-Key",
                "a b",
                ""
            })
    void headerThatHttpOrSemelSetsCannotBeConfigured(String name) {
        Target target = withHeaders(URI.create("https://example.com/"), Map.of(name, "hush"));
        assertThatThrownBy(() -> destinations.delivery(target))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("crm")
                .message()
                .doesNotContain("hush");
    }

    @Test
    void configuredHeaderWithALineBreakIsRejectedWithoutItsValue() {
        Target target = withHeaders(URI.create("https://example.com/"), Map.of("X-Team", "hush\r\nHost: evil"));
        assertThatThrownBy(() -> destinations.delivery(target))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("X-Team")
                .message()
                .doesNotContain("hush");
    }

    private static Target withHeaders(URI url, Map<String, String> headers) {
        return new Target(url, headers, List.of(), Destinations.LONG, Destinations.LOOPBACK);
    }

    @Test
    void everyStatusIsDoneRetriedOrFinalAsTheContractSays() throws Exception {
        Set<Integer> again = Set.of(408, 425, 429);
        AtomicReference<Integer> next = new AtomicReference<>(0);
        try (RawServer server = RawServer.answering(any -> next.get() == 204 || next.get() == 304
                ? "HTTP/1.1 " + next.get() + " Some\r\n\r\n"
                : RawServer.answer(next.get(), "why"))) {
            HttpDelivery delivery = destinations.delivery(Destinations.target(server.url()));
            for (int status = 200; status < 600; status++) {
                next.set(status);
                Failure failure = Destinations.failure(delivery);
                if (status < 300) {
                    assertThat(failure).as("HTTP " + status).isNull();
                    continue;
                }
                assertThat(failure).as("HTTP " + status).isNotNull();
                boolean retried = again.contains(status) || status >= 500 && status != 501 && status != 505;
                assertThat(failure.category().retried()).as("HTTP " + status).isEqualTo(retried);
                assertThat(failure.reason()).contains("crm", Integer.toString(status));
                if (status < 400) {
                    assertThat(failure.reason()).contains("redirects are not followed");
                }
                assertThat(failure.category() == Category.AUTH)
                        .as("HTTP " + status)
                        .isEqualTo(Set.of(401, 403, 407).contains(status));
            }
        }
    }

    @Test
    void goneIsFinal() throws Exception {
        try (RawServer server = RawServer.answering(410)) {
            Failure failure = destinations.failure(Destinations.target(server.url()));
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.NOT_FOUND);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 303, 307, 308})
    void g3_redirectInwardIsNotFollowed(int status) throws Exception {
        try (RawServer internal = RawServer.answering(200);
                RawServer server = RawServer.answering(any ->
                        RawServer.answer(status, "", "Location: http://127.0.0.1:" + internal.port() + "/admin\r\n"))) {
            Failure failure = destinations.failure(Destinations.target(server.url()));
            assertThat(failure).isNotNull();
            assertThat(failure.category()).isEqualTo(Category.VALIDATION);
            assertThat(failure.reason()).contains("redirects are not followed").doesNotContain("admin");
            assertThat(internal.connections()).isZero();
            assertThat(server.received()).hasSize(1);
        }
    }

    @Test
    void cookieAndRequestForCredentialsAreIgnored() throws Exception {
        try (RawServer server = RawServer.answering(
                any -> RawServer.answer(401, "no", "Set-Cookie: a=b\r\n", "WWW-Authenticate: Basic realm=\"x\"\r\n"))) {
            HttpDelivery delivery = destinations.delivery(Destinations.target(server.url()));
            Failure first = Destinations.failure(delivery);
            Failure second = Destinations.failure(delivery);
            assertThat(first).isNotNull().isEqualTo(second);
            assertThat(first.category()).isEqualTo(Category.AUTH);
            assertThat(server.received())
                    .hasSize(2)
                    .allSatisfy(post -> assertThat(post.names()).doesNotContain("cookie", "authorization"));
        }
    }

    @Test
    void refusedConnectionAndUnknownNameAreNetworkFailures() throws Exception {
        RawServer gone = RawServer.answering(200);
        gone.close();
        Failure refused = destinations.failure(Destinations.target(gone.url()));
        assertThat(refused).isNotNull();
        assertThat(refused.category()).isEqualTo(Category.NETWORK);
        assertThat(refused.reason()).contains("connection failed");
        Failure unknown = destinations.failure(Destinations.target(URI.create("http://nobody.test/")));
        assertThat(unknown).isNotNull();
        assertThat(unknown.category()).isEqualTo(Category.NETWORK);
        assertThat(unknown.reason()).contains("could not be resolved");
    }

    @Test
    void timeoutCoversTheLookupOfTheNameAndOtherDestinationsGoOn() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        NameLookup hanging = name -> {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new UnknownHostException(name);
        };
        try (RawServer server = RawServer.answering(200);
                Destinations own = Destinations.open(hanging)) {
            Target hangs = Destinations.target(
                    URI.create("http://hangs.test/"), Duration.ofMillis(100), Destinations.LOOPBACK);
            HttpDelivery delivery = own.delivery(hangs);
            for (int i = 0; i < 40; i++) {
                Failure failure = Destinations.failure(delivery);
                assertThat(failure).isNotNull();
                assertThat(failure.category()).isEqualTo(Category.TIMEOUT);
            }
            assertThat(own.failure(Destinations.target(server.url()))).isNull();
            long lookups = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("semel-delivery-lookup"))
                    .count();
            assertThat(lookups).as("threads for lookups").isLessThanOrEqualTo(2);
        } finally {
            over.countDown();
        }
    }

    @Test
    void interruptEndsADeliveryAtOnceAndKeepsTheFlag() throws Exception {
        CountDownLatch received = new CountDownLatch(1);
        try (RawServer server = RawServer.on((request, out) -> received.countDown())) {
            HttpDelivery delivery = destinations.delivery(Destinations.target(server.url()));
            TestRun interrupted = TestRun.FIRST.again();
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            AtomicBoolean flag = new AtomicBoolean();
            Thread thread = new Thread(() -> {
                try {
                    delivery.handle(Destinations.WEBHOOK, interrupted);
                } catch (Throwable e) {
                    thrown.set(e);
                    flag.set(Thread.currentThread().isInterrupted());
                }
            });
            thread.start();
            received.await();
            thread.interrupt();
            thread.join();
            assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
            assertThat(flag).isTrue();
            Await.until("its connection is closed", () -> server.openConnections() == 0);
            assertThat(interrupted.notes()).isEmpty();
        }
    }

    @Test
    void connectionsAreReusedAndNeverMoreThanTheDestinationMayHave() throws Exception {
        CountDownLatch enough = new CountDownLatch(3);
        CountDownLatch go = new CountDownLatch(1);
        try (RawServer server = RawServer.on((request, out) -> {
            enough.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            out.write(RawServer.answer(200, "").getBytes(StandardCharsets.US_ASCII));
        })) {
            HttpDelivery delivery = destinations.delivery(Destinations.config(Destinations.target(server.url()), 3));
            ExecutorService threads = Executors.newFixedThreadPool(12);
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                all.add(threads.submit(() -> {
                    delivery.handle(Destinations.WEBHOOK, TestRun.FIRST);
                    return null;
                }));
            }
            enough.await();
            go.countDown();
            for (Future<?> each : all) {
                each.get();
            }
            threads.shutdown();
            assertThat(server.received()).hasSize(30);
            assertThat(server.mostAtOnce()).isEqualTo(3);
            assertThat(server.connections()).isEqualTo(3);
        }
    }

    @Test
    void proxyOfTheSystemPropertiesIsNotUsed() throws Exception {
        try (RawServer proxy = RawServer.answering(502);
                RawServer server = RawServer.answering(200)) {
            System.setProperty("http.proxyHost", "127.0.0.1");
            System.setProperty("http.proxyPort", Integer.toString(proxy.port()));
            System.setProperty("http.nonProxyHosts", "");
            try (Destinations own = Destinations.open()) {
                assertThat(own.failure(Destinations.target(server.url()))).isNull();
            } finally {
                System.clearProperty("http.proxyHost");
                System.clearProperty("http.proxyPort");
                System.clearProperty("http.nonProxyHosts");
            }
            assertThat(proxy.connections()).isZero();
        }
    }
}
