package dev.semel.http.ingress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.engine.EngineSettings;
import dev.semel.http.Container;
import dev.semel.http.ReceivedResponse;
import dev.semel.store.Store;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.net.http.HttpClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Many webhooks at once, on real containers and stores. */
@Timeout(120)
class SharedStoringOnContainersTest {
    private static final int WEBHOOKS = 60;

    static List<Arguments> places() {
        List<Arguments> places = new ArrayList<>();
        for (Endpoint.LedgerKind kind : Endpoint.LedgerKind.values()) {
            for (Container container : Container.values()) {
                places.add(Arguments.of(kind, container));
            }
        }
        return places;
    }

    /** Its first two calls are held until the test lets them go. */
    private static final class HeldServlet extends WebhookServlet {
        private static final long serialVersionUID = 1;

        private final transient CountDownLatch held = new CountDownLatch(2);
        private final transient CountDownLatch open = new CountDownLatch(1);
        private final transient List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());

        HeldServlet(Semel semel, WebhookSource source) {
            super(semel, Endpoint.INBOX, source);
        }

        @Override
        List<Sent> sendAll(List<Message<Webhook>> messages) {
            sizes.add(messages.size());
            held.countDown();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.sendAll(messages);
        }
    }

    private final List<HeldServlet> servlets = new ArrayList<>();

    private Endpoint held(Container container, Store store) {
        return Endpoint.serving(
                Sender.STRIPE, container, EngineSettings.on(store).open(), store, (engine, clock) -> {
                    HeldServlet servlet = new HeldServlet(
                            engine,
                            Sender.STRIPE
                                    .source(WebhookSecrets.of(Sender.STRIPE.secret))
                                    .withClock(() -> Instant.ofEpochSecond(clock.get())));
                    servlets.add(servlet);
                    return servlet;
                });
    }

    private List<CompletableFuture<ReceivedResponse>> sendMany(Endpoint endpoint) throws InterruptedException {
        HttpClient client = Endpoint.client();
        List<CompletableFuture<ReceivedResponse>> responses = new ArrayList<>();
        for (int i = 0; i < WEBHOOKS; i++) {
            responses.add(endpoint.sending(client, endpoint.webhook("", Sender.STRIPE.body("e-" + i / 2))));
        }
        servlets.get(0).held.await();
        return responses;
    }

    @ParameterizedTest
    @MethodSource("places")
    void webhooksOfManyRequestsShareCommitsAndEachIsAnsweredForItself(Endpoint.LedgerKind kind, Container container)
            throws Exception {
        try (Endpoint endpoint = held(container, kind.fresh().get())) {
            List<CompletableFuture<ReceivedResponse>> responses = sendMany(endpoint);
            assertThat(responses).noneMatch(CompletableFuture::isDone);
            servlets.get(0).open.countDown();
            List<String> results = new ArrayList<>();
            for (CompletableFuture<ReceivedResponse> each : responses) {
                assertThat(each.get().status()).isEqualTo(200);
                results.add(each.get().header(WebhookServlet.RESULT_HEADER).orElseThrow());
            }
            assertThat(results).containsOnly("accepted", "duplicate");
            assertThat(Collections.frequency(results, "accepted")).isEqualTo(WEBHOOKS / 2);
            assertThat(endpoint.messages()).isEqualTo(WEBHOOKS / 2);
            assertThat(servlets.get(0).sizes).anyMatch(size -> size > 1);
        }
    }

    @ParameterizedTest
    @MethodSource("places")
    void f6_storeThatFailsUnderABatchAnswers503ToEachAndRedeliveriesAreStoredOnce(
            Endpoint.LedgerKind kind, Container container) throws Exception {
        AtomicBoolean broken = new AtomicBoolean(true);
        Store store = new FaultyStore(
                kind.fresh().get(),
                call -> call == StoreCall.ENQUEUE && broken.get() ? Faults.Fault.LOSE_REPLY : Faults.Fault.NONE);
        try (Endpoint endpoint = held(container, store)) {
            List<CompletableFuture<ReceivedResponse>> responses = sendMany(endpoint);
            servlets.get(0).open.countDown();
            for (CompletableFuture<ReceivedResponse> each : responses) {
                assertThat(each.get().status()).isEqualTo(503);
                assertThat(each.get().retryAfter()).isPositive();
            }
            broken.set(false);
            for (CompletableFuture<ReceivedResponse> each : sendMany(endpoint)) {
                assertThat(each.get().status()).isEqualTo(200);
            }
            assertThat(endpoint.messages()).isEqualTo(WEBHOOKS / 2);
        }
    }
}
