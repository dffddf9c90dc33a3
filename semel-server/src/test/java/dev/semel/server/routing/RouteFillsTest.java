package dev.semel.server.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.http.ingress.Webhook;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookSource;
import dev.semel.operator.Operator.Warrant;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.CompletedMessage;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

@Timeout(120)
class RouteFillsTest {
    private static final Warrant WARRANT = new Warrant("ann", "crm needs the history");
    private static final Tenant ACME = Tenant.of("acme");

    private static final Policy SHORT = Policy.WORKER_JOB.toBuilder()
            .withName("short")
            .withRetention(Policy.Retention.API)
            .build();

    private static final RouteConfig ALL = new RouteConfig("shop", List.of("crm"), List.of());
    private static final RouteConfig ONLY_A = new RouteConfig(
            "shop", List.of("crm"), List.of(new Condition("/lane", new RouteConfig.Test.In(Set.of("a")))));
    private static final RouteConfig ELSEWHERE = new RouteConfig("shop", List.of("archive"), List.of());

    /** A node that works only when it is told to. */
    private static final class Node implements AutoCloseable {
        private final Engine engine;
        private final ServerConfig config;
        private final RouteFills fills;

        Node(Store store, TimeSource time, String policy, RouteConfig... routes) {
            this.config = config(policy, routes);
            EngineSettings settings = EngineSettings.on(store).withTime(time).withoutBackground();
            config.policies().forEach(settings::withPolicy);
            this.engine = settings.open();
            this.fills = new RouteFills(engine, config, time);
            SourceConfig source = config.sources().get(0);
            engine.handle(ServerChannels.of(source), new Router(config, source.name()));
            fills.handle();
        }

        private static ServerConfig config(String policy, RouteConfig... routes) {
            return new ServerConfig(
                    "sqlite:unused.db",
                    new ServerConfig.Listen(
                            "127.0.0.1",
                            0,
                            null,
                            new ServerConfig.RequestLimits(10, 8_192, Duration.ofSeconds(30)),
                            Duration.ofSeconds(1)),
                    List.of(Webhook.INBOX, SHORT),
                    List.of(),
                    new ServerConfig.Routing(
                            List.of(new SourceConfig(
                                    "/in",
                                    WebhookSource.stripe("shop", WebhookSecrets.of("whsec_0123456789abcdef")),
                                    "webhook.inbox")),
                            List.of(destination("crm", policy), destination("archive", policy)),
                            List.of(routes)));
        }

        private static DestinationConfig destination(String name, String policy) {
            return new DestinationConfig(
                    name,
                    new DestinationConfig.Target(
                            URI.create("https://app.example/"),
                            Map.of(),
                            List.of(),
                            Duration.ofSeconds(15),
                            new DestinationConfig.EgressRules(false, List.of())),
                    policy,
                    true,
                    Channel.Capacity.of(4),
                    null);
        }

        void receive(Tenant tenant, String lane, int number, Instant received) {
            byte[] body =
                    ("{\"id\":\"" + lane + number + "\",\"lane\":\"" + lane + "\"}").getBytes(StandardCharsets.UTF_8);
            Webhook webhook = new Webhook(
                    "shop", lane + number, body, lane, new Webhook.Transport("application/json", Map.of(), received));
            engine.send(ServerChannels.of(config.sources().get(0)), Message.of(tenant, Key.of(lane + number), webhook));
        }

        void work() {
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
        }

        /** Delivers what is on its way, so that it is completed. */
        void deliver() {
            engine.handle(
                    ServerChannels.of(config.destinations().get(0)), Channel.Capacity.of(4), (webhook, run) -> {});
            work();
        }

        FillPreview preview(FillRequest request) {
            return fills.preview(request);
        }

        /** Runs it to its end. */
        long fill(FillRequest request) {
            FillPreview preview = preview(request);
            String job = fills.begin(preview, 0, WARRANT);
            work();
            assertThat(fills.progress(job, 1).orElseThrow().over()).isTrue();
            assertThat(fills.left(job).orElseThrow().matched()).isZero();
            return preview.matched();
        }

        /** Ids of what is at the destination, in the order of the places. */
        List<String> delivered() {
            deliver();
            List<String> ids = new ArrayList<>();
            for (CompletedMessage each : engine.operator()
                    .completedMessages(
                            new RecordFilter(null, "destination.crm", true, Long.MAX_VALUE), Long.MIN_VALUE, 10_000)) {
                Row row = engine.operator().records(List.of(each.id())).get(each.id());
                byte[] body = JsonMapper.shared()
                        .readTree(Objects.requireNonNull(
                                Objects.requireNonNull(row).payload()))
                        .get("body")
                        .binaryValue();
                ids.add(JsonMapper.shared().readTree(body).get("id").asString());
            }
            return ids;
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    private static FillRequest all() {
        return new FillRequest("shop", "crm", null, null);
    }

    private static List<String> ids(String lane, int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(i -> lane + i).toList();
    }

    private static List<String> ofLane(String lane, List<String> ids) {
        return ids.stream().filter(id -> id.startsWith(lane)).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fillSendsWhatThePreviewCountedInTheOrderOfEachLane(boolean onPostgres) {
        PrivatePostgres postgres = onPostgres ? PrivatePostgres.shared() : null;
        String url = postgres == null
                ? "sqlite:" + Scratch.directory("fill").resolve("ledger.db")
                : postgres.url(postgres.freshDatabase());
        int each = 300;
        Instant now = Instant.now();
        try (Node before = new Node(
                Stores.open(url, StoreProvider.Options.DEFAULT), TimeSource.system(), "webhook.inbox", ELSEWHERE)) {
            for (int i = 1; i <= each; i++) {
                before.receive(ACME, "a", i, now);
                before.receive(ACME, "b", i, now);
            }
            before.work();
        }
        try (Node node = new Node(
                Stores.open(url, StoreProvider.Options.EXISTING),
                TimeSource.system(),
                "webhook.inbox",
                ELSEWHERE,
                ALL)) {
            node.receive(ACME, "a", each + 1, now);
            node.work();
            assertThat(node.preview(all())).satisfies(preview -> {
                assertThat(preview.matched()).isEqualTo(2L * each);
                assertThat(preview.already()).isEqualTo(1);
                assertThat(preview.oldest()).isEqualTo(now);
            });
            assertThat(node.fill(all())).isEqualTo(2L * each);
            List<String> delivered = node.delivered();
            assertThat(delivered).hasSize(2 * each + 1).doesNotHaveDuplicates();
            assertThat(ofLane("b", delivered)).isEqualTo(ids("b", 1, each));
            assertThat(ofLane("a", delivered)).containsSubsequence(ids("a", 1, each));
            assertThat(node.preview(all()).matched()).isZero();
        }
    }

    @Test
    void whatARouteOrAnEarlierFillSentIsNotSentAgainAndOtherEventsAre() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant now = Instant.ofEpochMilli(time.millis());
        try (Node node = new Node(store, time, "webhook.inbox", ONLY_A)) {
            node.receive(ACME, "a", 1, now);
            node.receive(ACME, "b", 1, now);
            node.work();
        }
        try (Node node = new Node(store, time, "webhook.inbox", ALL)) {
            assertThat(node.fill(all())).isEqualTo(1);
            assertThat(node.preview(all()))
                    .extracting(FillPreview::matched, FillPreview::already)
                    .containsExactly(0L, 2L);
            assertThat(node.fill(all())).isZero();
            assertThat(node.delivered()).containsExactlyInAnyOrder("a1", "b1");
        }
    }

    @Test
    void conditionsOfTheRouteTenantAndTimeAreKept() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant first = Instant.ofEpochMilli(time.millis());
        Instant later = first.plusSeconds(60);
        try (Node node = new Node(store, time, "webhook.inbox", ELSEWHERE)) {
            node.receive(ACME, "a", 1, first);
            node.receive(ACME, "a", 2, later);
            node.receive(ACME, "b", 1, later);
            node.receive(Tenant.of("globex"), "a", 1, later);
            node.work();
        }
        try (Node node = new Node(store, time, "webhook.inbox", ONLY_A)) {
            assertThat(node.preview(all()).matched()).isEqualTo(3);
            assertThat(node.preview(new FillRequest("shop", "crm", null, later)).matched())
                    .isEqualTo(2);
            assertThat(node.preview(new FillRequest("shop", "crm", "globex", null))
                            .matched())
                    .isEqualTo(1);
            assertThat(node.fill(new FillRequest("shop", "crm", "acme", later))).isEqualTo(1);
            assertThat(node.delivered()).containsExactly("a2");
        }
    }

    @Test
    void whatWentThereBeforeItsRecordWasPurgedIsNotSentAgain() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant now = Instant.ofEpochMilli(time.millis());
        try (Node node = new Node(store, time, "short", ONLY_A)) {
            node.receive(ACME, "a", 1, now);
            node.receive(ACME, "b", 1, now);
            node.deliver();
            time.advance(SHORT.retention().success().plusSeconds(1));
            node.engine.duties().purger().purge(100);
            assertThat(node.engine
                            .operator()
                            .completedMessages(
                                    new RecordFilter(null, "destination.crm", true, Long.MAX_VALUE),
                                    Long.MIN_VALUE,
                                    10))
                    .isEmpty();
        }
        try (Node node = new Node(store, time, "short", ALL)) {
            assertThat(node.preview(all()))
                    .extracting(FillPreview::matched, FillPreview::already)
                    .containsExactly(1L, 1L);
            assertThat(node.fill(all())).isEqualTo(1);
            assertThat(node.delivered()).containsExactly("b1");
        }
    }

    @Test
    void pausedFillSendsNothingUntilItsChannelIsResumed() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant now = Instant.ofEpochMilli(time.millis());
        try (Node node = new Node(store, time, "webhook.inbox", ELSEWHERE)) {
            node.receive(ACME, "a", 1, now);
            node.work();
        }
        try (Node node = new Node(store, time, "webhook.inbox", ALL)) {
            node.engine.operator().pause(RouteFills.channelName(), null, WARRANT);
            String job = node.fills.begin(node.preview(all()), 0, WARRANT);
            time.advance(Duration.ofMinutes(1));
            node.work();
            assertThat(node.fills.progress(job, 1).orElseThrow().over()).isFalse();
            node.engine.operator().resume(RouteFills.channelName(), null, WARRANT);
            time.advance(Duration.ofMinutes(1));
            node.work();
            assertThat(node.fills.progress(job, 1).orElseThrow().over()).isTrue();
            assertThat(node.delivered()).containsExactly("a1");
        }
    }

    @Test
    void nodeThatDoesNotHaveTheRouteYetLeavesTheFillToAnother() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant now = Instant.ofEpochMilli(time.millis());
        try (Node older = new Node(store, time, "webhook.inbox", ELSEWHERE);
                Node node = new Node(store, time, "webhook.inbox", ALL)) {
            older.receive(ACME, "a", 1, now);
            older.work();
            String job = node.fills.begin(node.preview(all()), 0, WARRANT);
            older.work();
            assertThat(node.fills.progress(job, 1).orElseThrow().newest().state())
                    .isEqualTo(State.FAILED_RETRYABLE);
            time.advance(Duration.ofHours(1));
            node.work();
            assertThat(node.fills.progress(job, 1).orElseThrow().over()).isTrue();
            assertThat(node.delivered()).containsExactly("a1");
        }
    }

    @Test
    void auditTellsWhoFilledWhatWhyAndWhichMessagesCameOfIt() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        MemoryStore store = new MemoryStore(time);
        Instant now = Instant.ofEpochMilli(time.millis());
        try (Node node = new Node(store, time, "webhook.inbox", ELSEWHERE)) {
            node.receive(ACME, "a", 1, now);
            node.work();
        }
        try (Node node = new Node(store, time, "webhook.inbox", ALL)) {
            node.fill(all());
            List<AuditRow> begun = node.engine
                    .operator()
                    .events(
                            new AuditFilter(null, "source.shop", null, EventType.OPERATOR_REPLAYED.code()),
                            AuditRow.Position.END,
                            10);
            assertThat(begun)
                    .singleElement()
                    .extracting(row -> new AuditEvent(row).details())
                    .satisfies(details -> assertThat(details)
                            .containsEntry("actor", "ann")
                            .containsEntry("reason", "crm needs the history")
                            .containsEntry("to", "destination.crm")
                            .containsEntry("matched", 1L)
                            .containsKey("job"));
            List<AuditRow> sent = node.engine
                    .operator()
                    .events(new AuditFilter(null, "destination.crm", null, null), AuditRow.Position.END, 10);
            assertThat(sent)
                    .singleElement()
                    .extracting(row -> new AuditEvent(row).details())
                    .satisfies(details ->
                            assertThat(details).containsEntry("actor", "ann").containsEntry("source", "fill"));
        }
    }

    @Test
    void fillWithoutSuchARouteIsRejected() {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        try (Node node = new Node(new MemoryStore(time), time, "webhook.inbox", ELSEWHERE)) {
            assertThatThrownBy(() -> node.preview(all()))
                    .isInstanceOf(SemelException.Invalid.class)
                    .hasMessageContaining("No route leads from \"shop\" to \"crm\"");
            assertThatThrownBy(() -> node.preview(new FillRequest("shop", "cmr", null, null)))
                    .hasMessageContaining("no destination \"cmr\"");
            assertThatThrownBy(() -> node.preview(new FillRequest("chop", "crm", null, null)))
                    .hasMessageContaining("no source or topic \"chop\"");
        }
    }
}
