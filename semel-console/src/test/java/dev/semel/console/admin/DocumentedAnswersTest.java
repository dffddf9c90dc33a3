package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ADMIN;
import static dev.semel.console.admin.AdminServer.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Tenant;
import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.admin.AdminServer.Mail;
import dev.semel.console.rest.Endpoint;
import dev.semel.key.Identity;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every member that the OpenAPI document has of an answer is in a real answer. The other direction is checked in every test. */
class DocumentedAnswersTest {
    private static final Tenant ACME = Tenant.of("acme");

    private static final Channel.Leased<Mail> SLOW =
            Channel.leased("slow", Mail.class).withPolicy("brisk");

    /** They need a ledger that somebody tampered with, a store with a bad setting, or a destination. */
    private static final Set<String> NOT_SHOWN_HERE = Set.of(
            "DeliveryAttempt.answer",
            "DeliveryAttempt.attempt",
            "DeliveryAttempt.category",
            "DeliveryAttempt.duration_ms",
            "DeliveryAttempt.ended",
            "DeliveryAttempt.record",
            "DeliveryAttempt.status",
            "ServerDestination.failing_since",
            "ServerDestination.last_success",
            "AuditCheck.damage",
            "AuditDamage.event",
            "AuditDamage.kind",
            "AuditDamage.seal",
            "AuditDamage.sentence",
            "DecisionDifference.event",
            "DecisionDifference.record",
            "DecisionDifference.recomputed",
            "DecisionDifference.stored",
            "DecisionDifference.what",
            "StoreFinding.advice");

    /** They need destinations and routes: the tests of the server check them. */
    private static final Set<String> OF_A_SERVER =
            Set.of("Destinations", "Destination", "DestinationTest", "FillPreview", "FillStarted", "FillProgress");

    @Test
    void everyDocumentedMemberIsInARealAnswer() {
        try (AdminServer server = LedgerKind.SQLITE.start().withTrouble().withShadow()) {
            prepare(server);
            readAll(server);
            act(server);
            Set<String> ofRecords = new TreeSet<>();
            Set<String> unseen = new TreeSet<>(AdminServer.ANSWERS.unseen());
            Set<String> answered = AdminEndpoints.all().stream()
                    .map(endpoint -> endpoint.output().schema())
                    .collect(Collectors.toSet());
            assertThat(answered)
                    .allSatisfy(schema -> assertThat(AdminSchemas.all())
                            .anyMatch(each -> each.name().equals(schema)));
            // Those of programs are answered by the other API.
            AdminSchemas.all()
                    .forEach(schema -> schema.fields().forEach(field -> {
                        if (schema.name().startsWith("Record")
                                && !unseen.contains(schema.name() + "." + field.name())) {
                            ofRecords.add(field.name());
                        }
                    }));
            unseen.removeIf(
                    each -> AdminSchemas.all().stream().noneMatch(schema -> each.startsWith(schema.name() + ".")));
            unseen.removeIf(each -> each.startsWith("Record") && ofRecords.contains(each.replaceFirst(".*\\.", "")));
            unseen.removeIf(each -> OF_A_SERVER.contains(each.replaceFirst("\\..*", "")));
            unseen.removeAll(NOT_SHOWN_HERE);
            assertThat(unseen).isEmpty();
        }
    }

    private static void prepare(AdminServer server) {
        server.parts = new ServerActions.ServerParts(
                List.of(new ServerActions.SourcePart(
                        "stripe",
                        "source.stripe",
                        "webhook.inbox",
                        new ServerActions.SourceCounts(1, 2, 3, Instant.EPOCH, Instant.EPOCH))),
                List.of(new ServerActions.DestinationPart(
                        "app", "https://app.example", "destination.app", "worker.job")),
                List.of(new ServerActions.GatewayPart("payments", "/payments", "https://payments.example")));
        server.figures = List.of(new ProgramFigure("lost", "2", "acknowledged and missing", ProgramFigure.Tone.BAD));
        server.engine().handle(SLOW, Channel.Capacity.of(1).withBreaker(Channel.Breaker.usual()), (mail, run) -> {
            throw Failure.of(Failure.Category.RATE_LIMITED, "Slow down.")
                    .withRetryAfter(Duration.ofSeconds(70))
                    .asException();
        });
        server.send(ACME, SLOW, "s-1", "ann");
        server.engine()
                .send(
                        AdminServer.MAIL,
                        Message.of(ACME, Key.of("due"), new Mail("due", "ann", "t"))
                                .withDeadline(Instant.now().plus(Duration.ofDays(1))));
        for (int i = 0; i < 8; i++) {
            server.send(ACME, AdminServer.MAIL, "many-" + i, "unreachable");
        }
        for (String large : List.of("large-1", "large-2")) {
            // Two of them do not fit into one answer.
            server.engine().send(AdminServer.PLAN, Message.of(ACME, Key.of(large), large.repeat(90_000)));
        }
        server.work();
        server.engine().send(AdminServer.MAIL, Message.of(ACME, Key.of("waits"), new Mail("waits", "ann", "t")));
        Warrant why = new Warrant("test", "test");
        server.engine().operator().setMode(new Setting("acme", "order", Mode.HALTED), why);
        server.engine().operator().pause("fax", "acme", why);
        server.engine().duties().sealer().sealAll();
        server.engine().duties().activity().orElseThrow().flush(true);
    }

    private static void readAll(AdminServer server) {
        String mail = id("acme", "mail", "lost-1");
        String step = Identity.of(ACME, "order", Key.of("o-1")).id().step("pay").hex();
        for (Endpoint endpoint : AdminEndpoints.all()) {
            boolean ends = !endpoint.output().type().equals("text/event-stream");
            if (ends && endpoint.method().equals("GET") && !endpoint.path().contains("{job}")) {
                String path = endpoint.path().replace("/admin", "");
                String query = path.equals("/status")
                        ? "?record=" + id("acme", "mail", "later")
                        : path.equals("/correlation") ? "?tenant=acme&correlation_id=c-1" : "";
                for (String record : new String[] {mail, id("acme", "order", "o-1"), id("acme", "crm", "o-7b"), step}) {
                    server.get(ADMIN, path.replace("{record}", record).replace("{destination}", "app") + query);
                }
            }
        }
        server.get(ADMIN, "/records?limit=1");
        server.get(ADMIN, "/overview?tenant=acme");
        server.get(ADMIN, "/status?record=" + mail);
        server.get(ADMIN, "/status?tenant=acme&operation=slow&key=s-1");
        server.get(ADMIN, "/records?state=IN_PROGRESS");
    }

    private static void act(AdminServer server) {
        String reason = "{\"reason\":\"r\"}";
        String mail = "/records/" + id("acme", "mail", "lost-1");
        server.post(ADMIN, mail + "/replay", reason);
        server.post(ADMIN, mail + "/cancel", reason);
        server.post(ADMIN, "/forget", "{\"reason\":\"r\",\"tenant\":\"acme\",\"operation\":\"order\",\"key\":\"o-1\"}");
        server.mended = true;
        String job = server.post(ADMIN, "/dead/replays", "{\"reason\":\"r\",\"operation\":\"mail\"}")
                .text("job");
        server.engine()
                .handle(
                        dev.semel.operator.Replays.CHANNEL,
                        server.engine().operator().replays()::handle);
        server.work();
        server.get(ADMIN, "/dead/replays/" + job);
        server.post(ADMIN, "/dead/replays/pause", reason);
        server.post(ADMIN, "/channels/pause", "{\"reason\":\"r\",\"channel\":\"mail\"}");
        server.post(ADMIN, "/modes", "{\"reason\":\"r\",\"mode\":\"SHADOW\",\"operation\":\"fax\"}");
        server.post(ADMIN, "/modes", "{\"reason\":\"r\",\"mode\":\"SHADOW\",\"prefix\":\"fa\"}");
        server.post(ADMIN, "/modes", "{\"reason\":\"r\",\"mode\":\"SHADOW\",\"label\":\"out\"}");
        server.get(ADMIN, "/modes");
        server.get(ADMIN, "/channels");
        server.post(
                ADMIN,
                "/deliveries/check",
                "application/x-ndjson",
                "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"never\"}");
        server.post(ADMIN, "/adopt", reason);
        server.post(ADMIN, "/reload", reason);
    }
}
