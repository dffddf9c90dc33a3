package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.ADMIN;
import static dev.semel.console.admin.AdminServer.GLOBEX_ADMIN;
import static dev.semel.console.admin.AdminServer.OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static dev.semel.console.admin.AdminServer.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.admin.AdminServer.Reply;
import dev.semel.console.rest.Endpoint;
import dev.semel.operator.Operator.Warrant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import tools.jackson.databind.JsonNode;

/** What the API tells and does, on every store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class AdminApiSuite {
    private static final String REASON = "{\"reason\":\"ticket 4711\"}";

    private final LedgerKind kind;
    private AdminServer server;

    AdminApiSuite(LedgerKind kind) {
        this.kind = kind;
    }

    @BeforeAll
    void start() {
        server = kind.start().withTrouble().withShadow();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static List<String> texts(JsonNode list, String field) {
        return list.values().stream().map(each -> each.path(field).asString()).toList();
    }

    private JsonNode ok(Reply reply) {
        assertThat(reply.status()).as(reply.toString()).isIn(200, 202);
        return reply.json();
    }

    @Test
    void recordsAreListedPageByPageWithoutGapsAndRepetitions() {
        List<String> whole = texts(ok(server.get(VIEWER, "/records?limit=200")).path("records"), "id");
        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = ok(server.get(VIEWER, "/records?limit=3" + cursor));
            paged.addAll(texts(page.path("records"), "id"));
            cursor = page.has("next") ? "&cursor=" + page.path("next").asString() : "";
        } while (!cursor.isEmpty());
        assertThat(whole).hasSizeGreaterThan(12).doesNotHaveDuplicates();
        assertThat(paged).isEqualTo(whole);
    }

    @Test
    void filtersOfRecordsCombine() {
        JsonNode dead = ok(server.get(
                        VIEWER,
                        "/records?tenant=acme&operation=mail&state=FAILED_TERMINAL&category=network&min_attempts=2"))
                .path("records");
        assertThat(texts(dead, "id"))
                .containsExactlyInAnyOrder(id("acme", "mail", "lost-1"), id("acme", "mail", "lost-2"));
        assertThat(texts(
                        ok(server.get(VIEWER, "/records?lane=o-7&state=QUEUED")).path("records"), "tenant"))
                .containsExactlyInAnyOrder("acme", "globex");
        assertThat(texts(
                        ok(server.get(VIEWER, "/records?tenant=acme&correlation_id=c-lost-1"))
                                .path("records"),
                        "id"))
                .containsExactly(id("acme", "mail", "lost-1"));
        assertThat(texts(
                        ok(server.get(VIEWER, "/records?tenant=acme&operation=mail&key=lost-1"))
                                .path("records"),
                        "id"))
                .containsExactly(id("acme", "mail", "lost-1"));
        assertThat(ok(server.get(VIEWER, "/records?operation=mail&state=QUEUED&overdue_for=1m"))
                        .path("records"))
                .isEmpty();
        assertThat(texts(
                        ok(server.get(
                                        VIEWER,
                                        "/records?id="
                                                + id("acme", "mail", "lost-1").substring(0, 9)))
                                .path("records"),
                        "id"))
                .containsExactly(id("acme", "mail", "lost-1"));
        assertThat(ok(server.get(VIEWER, "/records?tenant=acme&correlation_id=c-lost-1&state=QUEUED"))
                        .path("records"))
                .isEmpty();
    }

    @Test
    void recordIsShownWithItsExplanationAndItsContentsMaskedForOperatorsOnly() {
        String lost = id("acme", "mail", "lost-1");
        JsonNode shown = ok(server.get(OPERATOR, "/records/" + lost));
        assertThat(shown.path("payload").asString()).contains("unreachable").doesNotContain("s3cret");
        assertThat(shown.path("explanation").path("sentence").asString()).contains("is dead after");
        assertThat(shown.path("failure").path("category").asString()).isEqualTo("network");
        JsonNode hidden = ok(server.get(VIEWER, "/records/" + lost));
        assertThat(hidden.has("payload")).isFalse();
        assertThat(ok(server.get(VIEWER, "/records/" + id("acme", "order", "o-1")))
                        .has("result"))
                .isFalse();
        assertThat(ok(server.get(OPERATOR, "/records/" + id("acme", "order", "o-1")))
                        .path("result")
                        .asString())
                .isEqualTo("\"done\"");
    }

    @Test
    void storyTreeExplanationAndStatusTellOfARecord() {
        String order = id("acme", "order", "o-1");
        assertThat(texts(
                        ok(server.get(VIEWER, "/records/" + id("acme", "mail", "lost-1") + "/story"))
                                .path("events"),
                        "type"))
                .startsWith("operation.queued")
                .endsWith("system.error");
        JsonNode tree = ok(server.get(VIEWER, "/records/" + order + "/tree"));
        assertThat(texts(tree.path("steps"), "step")).containsExactly("pay");
        assertThat(texts(tree.path("sent"), "operation")).containsExactly("mail");
        assertThat(ok(server.get(VIEWER, "/records/" + id("acme", "crm", "o-7b").substring(0, 12) + "/explanation"))
                        .path("sentence")
                        .asString())
                .contains("behind");
        assertThat(ok(server.get(VIEWER, "/status?record=" + order))
                        .path("state")
                        .asString())
                .isEqualTo("COMPLETED");
        assertThat(ok(server.get(VIEWER, "/status?tenant=acme&operation=fax&key=f-1"))
                        .path("state")
                        .asString())
                .isEqualTo("UNKNOWN");
        assertThat(texts(
                        ok(server.get(VIEWER, "/correlation?tenant=acme&correlation_id=c-1"))
                                .path("calls"),
                        "operation"))
                .containsExactly("order", "mail");
        assertThat(server.get(VIEWER, "/records/" + "0".repeat(64)).status()).isEqualTo(404);
    }

    @Test
    void shadowIsComparedAndPayloadsNeedTheRoleOperator() {
        JsonNode compared = ok(server.get(OPERATOR, "/shadow?tenant=acme&operation=mail"));
        assertThat(compared.path("not_sent").asInt()).isEqualTo(1);
        assertThat(compared.toString()).contains("\"payload\"");
        assertThat(ok(server.get(VIEWER, "/shadow")).toString()).doesNotContain("\"payload\"");
    }

    @Test
    void deadLettersAreListedGroupedAndPreviewed() {
        assertThat(texts(ok(server.get(VIEWER, "/dead?tenant=acme")).path("records"), "operation"))
                .contains("fax", "crm", "mail");
        JsonNode groups = ok(server.get(VIEWER, "/dead/groups?operation=mail")).path("groups");
        assertThat(groups.path(0).path("count").asInt()).isEqualTo(4);
        JsonNode preview = ok(server.get(VIEWER, "/dead/preview?tenant=acme&unknown=true"));
        assertThat(preview.path("count").asInt()).isEqualTo(4);
        assertThat(preview.path("unknown").asInt()).isEqualTo(1);
        assertThat(ok(server.get(VIEWER, "/dead?exception=ConnectException&limit=1"))
                        .has("next"))
                .isTrue();
    }

    @Test
    void channelsModesRetriesAndPoliciesAreTold() {
        JsonNode channels = ok(server.get(VIEWER, "/channels")).path("channels");
        assertThat(texts(channels, "channel")).contains("mail", "crm", "fax");
        assertThat(texts(ok(server.get(VIEWER, "/modes")).path("settings"), "mode"))
                .contains("SHADOW");
        assertThat(ok(server.get(VIEWER, "/retries?window=1h&operation=mail")).path("policies"))
                .isNotEmpty();
        assertThat(texts(
                        ok(server.get(VIEWER, "/retries/rates?category=network"))
                                .path("rates"),
                        "operation"))
                .contains("mail");
        assertThat(ok(server.get(VIEWER, "/retries/advice")).has("advice")).isTrue();
        assertThat(texts(ok(server.get(VIEWER, "/policies")).path("policies"), "name"))
                .contains("default", "brisk");
        assertThat(ok(server.get(VIEWER, "/doctor")).path("class").asString()).isIn("A", "B", "C");
        assertThat(ok(server.get(VIEWER, "/server")).path("sources")).isEmpty();
        assertThat(ok(server.get(ACME_OPERATOR, "/me")).toString())
                .isEqualTo("{\"name\":\"acme-olga\",\"role\":\"operator\",\"tenant\":\"acme\"}");
    }

    @Test
    void overviewShowsWhatHappenedAndWhatNeedsAPerson() {
        server.engine().duties().activity().orElseThrow().flush(true);
        JsonNode overview = ok(server.get(VIEWER, "/overview?window=day"));
        assertThat(overview.path("window").asString()).isEqualTo("day");
        assertThat(overview.path("step_seconds").asInt()).isEqualTo(600);
        assertThat(overview.has("history_since")).isTrue();
        assertThat(texts(overview.path("attention"), "kind")).contains("unknown", "dead_letters");
        assertThat(texts(overview.path("operations"), "name")).contains("mail");
        assertThat(overview.path("totals").path("dead_letters").asInt()).isPositive();
        JsonNode mail = ok(server.get(VIEWER, "/overview?operation=mail")).path("operations");
        assertThat(mail).hasSize(1);
        assertThat(mail.path(0).path("kind").asString()).isEqualTo("channel");
        assertThat(mail.path(0).path("series").path("dead_letters")).hasSize(120);
        JsonNode latencies = ok(server.get(VIEWER, "/overview?operation=mail")).path("series");
        assertThat(latencies.path("ack_p99_ms")).hasSize(120).anyMatch(JsonNode::isNumber);
        assertThat(latencies.path("ack_p50_ms").path(0).isNull()).isTrue();
        assertThat(server.get(VIEWER, "/overview?window=year").status()).isEqualTo(400);
    }

    @Test
    void figuresOfTheProgramAreShownToPeopleOfAllTenantsOnly() {
        server.figures = List.of(new ProgramFigure("doubled", "<b>3</b>", "booked twice", ProgramFigure.Tone.BAD));
        JsonNode figure = ok(server.get(VIEWER, "/overview")).path("program").path(0);
        assertThat(figure.path("name").asString()).isEqualTo("doubled");
        assertThat(figure.path("value").asString()).isEqualTo("<b>3</b>");
        assertThat(figure.path("note").asString()).isEqualTo("booked twice");
        assertThat(figure.path("tone").asString()).isEqualTo("bad");
        assertThat(ok(server.get(ACME_OPERATOR, "/overview")).has("program")).isFalse();
        server.figures = List.of();
        assertThat(ok(server.get(VIEWER, "/overview")).has("program")).isFalse();
    }

    @Test
    void h4_overviewOfAPersonOfOneTenantHasNothingOfOthers() {
        Warrant warrant = new Warrant("olga", "ticket 4711");
        server.engine().operator().pause("globex-sap", "globex", warrant);
        server.engine().operator().pause("globex-crm", null, warrant);
        server.engine().duties().activity().orElseThrow().flush(true);
        JsonNode all = ok(server.get(VIEWER, "/overview"));
        JsonNode own = ok(server.get(ACME_OPERATOR, "/overview"));
        assertThat(own.path("tenant").asString()).isEqualTo("acme");
        assertThat(own.path("totals").path("calls").asLong())
                .isPositive()
                .isLessThan(all.path("totals").path("calls").asLong());
        assertThat(own.toString()).doesNotContain("globex");
        assertThat(server.get(ACME_OPERATOR, "/overview?tenant=globex").status())
                .isEqualTo(403);
    }

    @Test
    void auditIsPagedFollowedExportedVerifiedAndItsDecisionsRecomputed() {
        server.engine().duties().sealer().sealAll();
        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = ok(server.get(VIEWER, "/audit/events?limit=7&tenant=acme&operation=mail" + cursor));
            paged.addAll(texts(page.path("events"), "id"));
            cursor = page.has("next") ? "&cursor=" + page.path("next").asString() : "";
        } while (!cursor.isEmpty());
        Reply export = server.get(VIEWER, "/audit/export?tenant=acme&operation=mail");
        assertThat(export.http().headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
        assertThat(export.http().body().lines()).hasSameSizeAs(paged);
        JsonNode followed = ok(server.get(VIEWER, "/audit/follow?last=3&tenant=acme"));
        assertThat(followed.path("events").size()).isLessThanOrEqualTo(3);
        String next = followed.path("next").asString();
        assertThat(ok(server.get(VIEWER, "/audit/follow?cursor=" + next))
                        .path("next")
                        .asString())
                .isNotEmpty();
        assertThat(ok(server.get(VIEWER, "/audit/verify")).path("intact").asBoolean())
                .isTrue();
        assertThat(ok(server.get(VIEWER, "/audit/replay-decisions"))
                        .path("differing")
                        .asInt())
                .isZero();
        assertThat(texts(
                        ok(server.get(VIEWER, "/audit/events?type=system.error&since=2020-01-01T00:00:00Z"))
                                .path("events"),
                        "type"))
                .containsOnly("system.error");
    }

    @Test
    void deliveriesThatNeverArrivedAreFound() {
        String lines = "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"lost-1\"}\n\n"
                + "{\"tenant\":\"acme\",\"channel\":\"mail\",\"key\":\"never\"}\n";
        JsonNode report = ok(server.post(VIEWER, "/deliveries/check", "application/x-ndjson", lines));
        assertThat(report.path("seen").asInt()).isEqualTo(2);
        assertThat(report.path("missing").asInt()).isEqualTo(1);
        assertThat(server.post(ACME_ADMIN, "/deliveries/check", "application/x-ndjson", lines.replace("acme", "globex"))
                        .status())
                .isEqualTo(403);
    }

    @Test
    void h2_noGetChangesAnything() {
        String record = id("acme", "mail", "lost-1");
        List<String> before = state();
        for (Endpoint endpoint : AdminEndpoints.all()) {
            boolean ends = !endpoint.output().type().equals("text/event-stream");
            if (ends && endpoint.method().equals("GET")) {
                String path = endpoint.path()
                        .replace("/admin", "")
                        .replace("{record}", record)
                        .replace("{job}", "none")
                        .replace("{destination}", "none");
                String query = path.equals("/status")
                        ? "?record=" + record
                        : path.equals("/correlation") ? "?tenant=acme&correlation_id=c-1" : "";
                Reply reply = server.get(ADMIN, path + query);
                boolean absent = path.contains("none") || path.startsWith("/routes/");
                assertThat(reply.status()).as(path + ": " + reply).isIn(200, absent ? 404 : 200);
                assertThat(server.send(server.request(ADMIN, path + query)
                                        .method("HEAD", java.net.http.HttpRequest.BodyPublishers.noBody()))
                                .status())
                        .as("HEAD " + path)
                        .isEqualTo(405);
            }
        }
        assertThat(state()).isEqualTo(before);
    }

    /** Every record and every event. */
    private List<String> state() {
        List<String> all = new ArrayList<>();
        for (dev.semel.store.State state : dev.semel.store.State.values()) {
            server.engine()
                    .operator()
                    .list(state, dev.semel.store.RecordFilter.ALL, dev.semel.store.RecordFilter.Cursor.START, 1_000)
                    .forEach(row -> all.add(row.id() + " " + row.status()));
        }
        server.engine()
                .operator()
                .events(dev.semel.store.AuditFilter.ALL, dev.semel.store.AuditRow.Position.END, 10_000)
                .forEach(row -> all.add(row.position().toString()));
        all.add(String.valueOf(server.engine().operator().modes().version()));
        return all;
    }

    @Test
    void h4_nothingOfAnotherTenantIsSeenAnywhere() {
        String other = id("globex", "mail", "lost-1");
        for (Endpoint endpoint : AdminEndpoints.all()) {
            boolean ends = !endpoint.output().type().equals("text/event-stream");
            if (ends && endpoint.method().equals("GET")) {
                String path = endpoint.path().replace("/admin", "").replaceAll("\\{(job|destination)}", "none");
                String own = path.replace("{record}", id("acme", "crm", "o-7b"));
                String query = path.equals("/status")
                        ? "?tenant=acme&operation=mail&key=lost-1"
                        : path.equals("/correlation") ? "?correlation_id=c-1" : "";
                Reply reply = server.get(ACME_ADMIN, own + query);
                assertThat(reply.http().body()).as(own).doesNotContain("globex").doesNotContain(other);
                if (path.contains("{record}")) {
                    Reply theirs = server.get(ACME_ADMIN, path.replace("{record}", other));
                    Reply none = server.get(ACME_ADMIN, path.replace("{record}", "0".repeat(64)));
                    assertThat(theirs.status()).isEqualTo(404);
                    assertThat(theirs.text("detail").replace(other, ""))
                            .isEqualTo(none.text("detail").replace("0".repeat(64), ""));
                }
            }
        }
        for (String path : List.of(
                "/records",
                "/dead",
                "/dead/groups",
                "/dead/preview",
                "/audit/events",
                "/audit/export",
                "/retries",
                "/shadow")) {
            assertThat(server.get(ACME_ADMIN, path + "?tenant=globex").status())
                    .as(path)
                    .isEqualTo(403);
        }
        assertThat(server.get(ACME_ADMIN, "/records?id=" + other.substring(0, 12))
                        .json()
                        .path("records"))
                .isEmpty();
        assertThat(server.get(ACME_ADMIN, "/records?id=" + other.substring(0, 3))
                        .status())
                .isEqualTo(400);
        assertThat(server.get(ACME_ADMIN, "/dead/groups?operation=mail")
                        .json()
                        .path("groups")
                        .path(0)
                        .path("count")
                        .asInt())
                .isEqualTo(2);
        JsonNode channels = ok(server.get(ACME_ADMIN, "/channels")).path("channels");
        channels.values().stream()
                .filter(each -> each.path("channel").asString().equals("mail"))
                .forEach(each -> assertThat(each.path("waiting").asInt()).isEqualTo(1));
        assertThat(texts(channels, "channel")).contains("mail", "crm");
        for (String path : List.of("/audit/verify", "/doctor", "/server")) {
            assertThat(server.get(ACME_ADMIN, path).status()).as(path).isEqualTo(403);
        }
    }

    @Test
    void h4_nothingOfAnotherTenantIsTouched() {
        String theirs = id("globex", "mail", "lost-2");
        List<String> before = ofGlobex();
        for (String action : List.of("replay", "discard", "cancel")) {
            assertThat(server.post(ACME_ADMIN, "/records/" + theirs + "/" + action, REASON)
                            .status())
                    .as(action)
                    .isEqualTo(404);
        }
        String resolve = "{\"reason\":\"r\",\"outcome\":\"no_effect\"}";
        assertThat(server.post(ACME_ADMIN, "/records/" + id("globex", "fax", "f-1") + "/resolve", resolve)
                        .status())
                .isEqualTo(404);
        for (String body : List.of(
                "{\"reason\":\"r\",\"tenant\":\"globex\",\"operation\":\"order\",\"key\":\"o-1\"}",
                "{\"reason\":\"r\",\"tenant\":\"nobody\",\"operation\":\"order\",\"key\":\"o-1\"}")) {
            assertThat(server.post(ACME_ADMIN, "/forget", body).status()).isEqualTo(403);
        }
        assertThat(server.post(ACME_ADMIN, "/dead/replays", "{\"reason\":\"r\",\"tenant\":\"globex\"}")
                        .status())
                .isEqualTo(403);
        for (String action : List.of("/channels/pause", "/channels/resume")) {
            assertThat(server.post(ACME_ADMIN, action, "{\"reason\":\"r\",\"channel\":\"mail\"}")
                            .status())
                    .isEqualTo(403);
            assertThat(server.post(ACME_ADMIN, action, "{\"reason\":\"r\",\"channel\":\"mail\",\"tenant\":\"globex\"}")
                            .status())
                    .isEqualTo(403);
        }
        assertThat(server.post(ACME_ADMIN, "/modes", "{\"reason\":\"r\",\"mode\":\"HALTED\",\"operation\":\"mail\"}")
                        .status())
                .isEqualTo(403);
        for (String action : List.of("/adopt", "/reload", "/dead/replays/pause", "/dead/replays/resume")) {
            assertThat(server.post(ACME_ADMIN, action, REASON).status())
                    .as(action)
                    .isEqualTo(403);
        }
        assertThat(ofGlobex()).isEqualTo(before);
        assertThat(texts(
                        ok(server.get(ACME_ADMIN, "/audit/events?type=operator.denied"))
                                .path("events"),
                        "actor"))
                .contains(ACME_ADMIN);
    }

    private List<String> ofGlobex() {
        List<String> all = new ArrayList<>(state());
        all.removeIf(line -> line.startsWith("Position"));
        return all;
    }

    @Test
    void h4_replayJobOfAnotherTenantDoesNotExist() {
        try (AdminServer own = kind.start().withTrouble()) {
            String job = own.post(GLOBEX_ADMIN, "/dead/replays", "{\"reason\":\"r\",\"all\":true}")
                    .text("job");
            assertThat(own.get(GLOBEX_ADMIN, "/dead/replays/" + job).status()).isEqualTo(200);
            assertThat(own.get(GLOBEX_ADMIN, "/dead/replays/" + job)
                            .json()
                            .path("matched")
                            .asInt())
                    .isEqualTo(3);
            assertThat(own.get(ACME_ADMIN, "/dead/replays/" + job).status()).isEqualTo(404);
            assertThat(own.post(ACME_ADMIN, "/dead/replays/" + job + "/resume", REASON)
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void h4_somebodyOfOneTenantLearnsThatAllIsHeldUpAndNotWhoDidItAndWhy() {
        String why = "{\"reason\":\"globex was robbed\"";
        try (AdminServer own = kind.start().withTrouble()) {
            ok(own.post(ADMIN, "/channels/pause", why + ",\"channel\":\"mail\"}"));
            ok(own.post(ADMIN, "/dead/replays/pause", why + "}"));
            ok(own.post(ADMIN, "/modes", why + ",\"mode\":\"HALTED\",\"prefix\":\"cr\"}"));
            ok(own.post(ADMIN, "/modes", why + ",\"mode\":\"HALTED\",\"tenant\":\"globex\",\"operation\":\"fax\"}"));
            ok(own.post(GLOBEX_ADMIN, "/channels/pause", why + ",\"channel\":\"fax\",\"tenant\":\"globex\"}"));
            String job = own.post(ACME_ADMIN, "/dead/replays", "{\"reason\":\"mended\",\"all\":true}")
                    .text("job");
            Reply progress = own.get(ACME_ADMIN, "/dead/replays/" + job);
            Reply modes = own.get(ACME_ADMIN, "/modes");
            Reply channels = own.get(ACME_ADMIN, "/channels");
            assertThat(progress.text("sentence")).contains("its channel is paused");
            assertThat(own.get(ADMIN, "/dead/replays/" + job).text("sentence")).contains("globex was robbed");
            assertThat(texts(ok(modes).path("pauses"), "channel")).containsExactlyInAnyOrder("mail", "semel.replays");
            assertThat(texts(ok(modes).path("settings"), "mode")).containsExactly("HALTED");
            assertThat(texts(ok(modes).path("settings"), "tenant")).containsExactly("*");
            for (Reply reply : List.of(progress, modes, channels, own.get(ACME_ADMIN, "/overview"))) {
                assertThat(ok(reply).toString()).doesNotContain("robbed", ADMIN, "globex");
            }
        }
    }

    @Test
    void everyActionNeedsItsRoleAndAReason() {
        List<String> before = ofGlobex();
        for (Endpoint endpoint : AdminEndpoints.all()) {
            boolean acts = endpoint.input().body().stream()
                    .anyMatch(field -> field.name().equals("reason"));
            if (acts) {
                String path = endpoint.path()
                        .replace("/admin", "")
                        .replace("{record}", id("acme", "mail", "lost-1"))
                        .replace("{job}", "none")
                        .replace("{destination}", "none");
                assertThat(server.post(VIEWER, path, REASON).status()).as(path).isEqualTo(403);
                Reply without = server.post(ADMIN, path, "{}");
                assertThat(without.status()).as(path + without).isEqualTo(400);
                assertThat(without.text("detail")).as(path).contains("reason");
            }
        }
        assertThat(server.post(OPERATOR, "/reload", REASON).status()).isEqualTo(403);
        assertThat(server.post(OPERATOR, "/adopt", REASON).status()).isEqualTo(403);
        assertThat(server.post(OPERATOR, "/modes", "{\"reason\":\"r\",\"mode\":\"HALTED\"}")
                        .status())
                .isEqualTo(403);
        assertThat(ofGlobex()).isEqualTo(before);
    }
}
