package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.http.TestDatabase;
import dev.semel.http.ingress.IngressProcess.HaltPoint;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A server's process dies while it takes in webhooks: what got a 2xx is there, and what is sent again is there once. */
@Timeout(300)
class IngressCrashTest {

    static Stream<Arguments> crashes() {
        return Stream.of(TestDatabase.Kind.values())
                .flatMap(kind -> Stream.of(
                                HaltPoint.BEFORE_THE_COMMIT, HaltPoint.AFTER_THE_COMMIT, HaltPoint.BEFORE_THE_REPLY)
                        .filter(halt -> kind == TestDatabase.Kind.SQLITE || halt != HaltPoint.BEFORE_THE_REPLY)
                        .map(halt -> Arguments.of(kind, halt)));
    }

    private static HttpRequest webhook(int port, String id) {
        byte[] body = Sender.utf8(Sender.STRIPE.body(id));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        Sender.STRIPE
                .headers(Sender.STRIPE.secret, new Sender.Event(id, Endpoint.NOW, body))
                .forEach(request::header);
        return request.build();
    }

    /** Empty when the connection broke. */
    private static Optional<ReceivedResponse> send(HttpClient client, int port, String id) throws InterruptedException {
        try {
            return Optional.of(
                    ReceivedResponse.of(client.send(webhook(port, id), HttpResponse.BodyHandlers.ofByteArray())));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static long messages(TestDatabase database) {
        try (Store store = database.open(null)) {
            return store.queue().orElseThrow().backlog(Endpoint.INBOX.name()).waiting();
        }
    }

    @ParameterizedTest
    @MethodSource("crashes")
    void f6_processThatDiesAroundTheCommitAcknowledgesNothingThatIsLost(TestDatabase.Kind kind, HaltPoint halt)
            throws InterruptedException {
        TestDatabase database = kind.fresh();
        Container dies = kind == TestDatabase.Kind.SQLITE ? Container.JETTY : Container.TOMCAT;
        try (IngressProcess node = IngressProcess.start(database, dies, halt)) {
            assertThat(send(Endpoint.client(), node.port(), "e-1"))
                    .as("no byte has left")
                    .isEmpty();
            node.halted();
        }
        assertThat(messages(database)).isEqualTo(halt == HaltPoint.BEFORE_THE_COMMIT ? 0 : 1);
        try (Endpoint next = Endpoint.open(Sender.STRIPE, Container.JETTY, () -> database.open(null))) {
            ReceivedResponse heard = next.send(next.webhook("", Sender.STRIPE.body("e-1")));
            assertThat(heard.header(WebhookServlet.RESULT_HEADER))
                    .contains(halt == HaltPoint.BEFORE_THE_COMMIT ? "accepted" : "duplicate");
            assertThat(next.messages()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void f6_everyWebhookThatGot200BeforeAKillIsThere(TestDatabase.Kind kind) throws InterruptedException {
        TestDatabase database = kind.fresh();
        List<CompletableFuture<Void>> senders = new ArrayList<>();
        List<AtomicInteger> acknowledged = new ArrayList<>();
        try (IngressProcess node = IngressProcess.start(database, Container.TOMCAT, HaltPoint.NOWHERE)) {
            int port = node.port();
            for (int s = 0; s < 4; s++) {
                AtomicInteger count = new AtomicInteger();
                acknowledged.add(count);
                String prefix = "s" + s + "-";
                senders.add(CompletableFuture.runAsync(() -> sendUntilItBreaks(port, prefix, count)));
            }
            Await.until("some are acknowledged", () -> acknowledged.stream().allMatch(each -> each.get() >= 10));
            node.kill();
            senders.forEach(CompletableFuture::join);
        }
        int all = 0;
        try (Endpoint next = Endpoint.open(Sender.STRIPE, Container.JETTY, () -> database.open(null))) {
            for (int s = 0; s < 4; s++) {
                for (int i = 0; i <= acknowledged.get(s).get(); i++) {
                    ReceivedResponse heard = next.send(next.webhook("", Sender.STRIPE.body("s" + s + "-" + i)));
                    assertThat(heard.status()).isEqualTo(200);
                    if (i < acknowledged.get(s).get()) {
                        assertThat(heard.header(WebhookServlet.RESULT_HEADER))
                                .as("it had been acknowledged")
                                .contains("duplicate");
                    }
                    all++;
                }
            }
            assertThat(next.messages()).isEqualTo(all);
        }
    }

    /** One after the other; the last one, whose answer did not come, may be stored or not. */
    private static void sendUntilItBreaks(int port, String prefix, AtomicInteger acknowledged) {
        HttpClient client = Endpoint.client();
        try {
            while (true) {
                Optional<ReceivedResponse> heard = send(client, port, prefix + acknowledged.get());
                if (heard.isEmpty() || heard.get().status() != 200) {
                    return;
                }
                acknowledged.incrementAndGet();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
