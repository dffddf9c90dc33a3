package dev.semel.console.admin;

import static dev.semel.console.admin.AdminServer.ACME_ADMIN;
import static dev.semel.console.admin.AdminServer.ACME_OPERATOR;
import static dev.semel.console.admin.AdminServer.ADMIN;
import static dev.semel.console.admin.AdminServer.OPERATOR;
import static dev.semel.console.admin.AdminServer.VIEWER;
import static dev.semel.console.admin.AdminServer.id;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.console.admin.AdminServer.LedgerKind;
import dev.semel.console.admin.AdminServer.Reply;
import dev.semel.console.admin.ServerActions.ReloadResult;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Actions are carried out once, and stand in the audit with the person's name and reason. */
class AdminActionsTest {
    private static final String REASON = "{\"reason\":\"ticket 4711\"}";

    private static JsonNode ok(Reply reply) {
        assertThat(reply.status()).as(reply.toString()).isIn(200, 202);
        return reply.json();
    }

    /** Who did what is the newest event of this type. */
    private static void audited(AdminServer server, String type, String actor) {
        JsonNode event = ok(server.get(VIEWER, "/audit/events?limit=1&type=" + type))
                .path("events")
                .path(0);
        assertThat(event.path("actor").asString("")).as(event.toString()).isEqualTo(actor);
        assertThat(event.path("reason").asString("")).isEqualTo("ticket 4711");
    }

    @ParameterizedTest
    @EnumSource
    void recordIsReplayedDiscardedAndCancelledOnce(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            server.mended = true;
            String lost = "/records/" + id("acme", "mail", "lost-1");
            assertThat(ok(server.post(ACME_OPERATOR, lost + "/replay", REASON))
                            .path("outcome")
                            .asString())
                    .isEqualTo("DONE");
            audited(server, "operator.replayed", ACME_OPERATOR);
            assertThat(ok(server.post(ACME_OPERATOR, lost + "/replay", REASON))
                            .path("outcome")
                            .asString())
                    .isEqualTo("ALREADY");
            server.work();
            assertThat(server.handled).filteredOn("lost-1"::equals).hasSize(1);
            Reply late = server.post(OPERATOR, lost + "/discard", REASON);
            assertThat(late.status()).isEqualTo(409);
            assertThat(late.text("code")).isEqualTo("action.refused");
            assertThat(late.text("detail")).contains("COMPLETED and cannot be discarded");

            String other = "/records/" + id("acme", "mail", "lost-2");
            ok(server.post(OPERATOR, other + "/discard", REASON));
            audited(server, "operator.discarded", OPERATOR);
            String later = "/records/" + id("acme", "mail", "later");
            assertThat(ok(server.post(OPERATOR, later + "/cancel", REASON))
                            .path("outcome")
                            .asString())
                    .isEqualTo("cancelled");
            assertThat(ok(server.post(OPERATOR, later + "/cancel", REASON))
                            .path("outcome")
                            .asString())
                    .isEqualTo("already_cancelled");
            assertThat(server.post(OPERATOR, lost + "/cancel", REASON).status()).isEqualTo(409);
        }
    }

    @ParameterizedTest
    @EnumSource
    void unknownRecordIsResolvedEitherWay(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            server.mended = true;
            String acme = "/records/" + id("acme", "fax", "f-1") + "/resolve";
            String globex = "/records/" + id("globex", "fax", "f-1") + "/resolve";
            ok(server.post(OPERATOR, acme, "{\"reason\":\"ticket 4711\",\"outcome\":\"no_effect\"}"));
            ok(server.post(OPERATOR, globex, "{\"reason\":\"ticket 4711\",\"outcome\":\"took_effect\"}"));
            server.work();
            assertThat(server.handled).filteredOn("f-1"::equals).hasSize(1);
            assertThat(ok(server.get(VIEWER, "/status?tenant=globex&operation=fax&key=f-1"))
                            .path("state")
                            .asString())
                    .isEqualTo("DISCARDED");
            Reply again = server.post(OPERATOR, acme, "{\"reason\":\"r\",\"outcome\":\"no_effect\"}");
            assertThat(again.status()).isEqualTo(409);
            assertThat(server.post(OPERATOR, acme, "{\"reason\":\"r\",\"outcome\":\"perhaps\"}")
                            .status())
                    .isEqualTo(400);
        }
    }

    @ParameterizedTest
    @EnumSource
    void keyIsForgottenAndItsNextCallRuns(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            String body = "{\"reason\":\"ticket 4711\",\"tenant\":\"acme\",\"operation\":\"order\",\"key\":\"o-1\"}";
            ok(server.post(ACME_ADMIN, "/forget", body));
            audited(server, "operator.forgot", ACME_ADMIN);
            assertThat(server.post(ACME_ADMIN, "/forget", body).status()).isEqualTo(404);
            Reply queued =
                    server.post(ADMIN, "/forget", body.replace("order", "mail").replace("o-1", "later"));
            assertThat(queued.text("code")).isEqualTo("action.refused");
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyAreReplayedByAJobThatCanBePausedAndResumed(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            server.mended = true;
            ok(server.post(OPERATOR, "/dead/replays/pause", REASON));
            assertThat(ok(server.post(OPERATOR, "/dead/replays/resume", REASON))
                            .path("sentence")
                            .asString())
                    .contains("resumed");
            assertThat(server.post(OPERATOR, "/dead/replays/resume", REASON).status())
                    .isEqualTo(409);
            String job = ok(server.post(
                            ACME_OPERATOR, "/dead/replays", "{\"reason\":\"ticket 4711\",\"category\":\"network\"}"))
                    .path("job")
                    .asString();
            assertThat(ok(server.get(ACME_OPERATOR, "/dead/replays/" + job))
                            .path("over")
                            .asBoolean())
                    .isFalse();
            server.engine()
                    .handle(
                            dev.semel.operator.Replays.CHANNEL,
                            server.engine().operator().replays()::handle);
            server.work();
            JsonNode over = ok(server.get(ACME_OPERATOR, "/dead/replays/" + job));
            assertThat(over.path("over").asBoolean()).as(over.toString()).isTrue();
            assertThat(over.path("left").asInt()).isZero();
            assertThat(server.handled).contains("lost-1", "lost-2");
            audited(server, "operator.replayed", ACME_OPERATOR);
            assertThat(ok(server.get(VIEWER, "/dead/groups?tenant=globex&operation=mail"))
                            .path("groups"))
                    .isNotEmpty();
            ok(server.post(ACME_OPERATOR, "/dead/replays/" + job + "/resume", REASON));
            assertThat(server.post(ACME_OPERATOR, "/dead/replays", "{\"reason\":\"r\",\"category\":\"network\"}")
                            .status())
                    .isEqualTo(409);
        }
    }

    @ParameterizedTest
    @EnumSource
    void channelsArePausedAndModesSetForOneTenantOrAll(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            String own = "{\"reason\":\"ticket 4711\",\"channel\":\"mail\",\"tenant\":\"acme\"}";
            ok(server.post(ACME_OPERATOR, "/channels/pause", own));
            audited(server, "channel.paused", ACME_OPERATOR);
            ok(server.post(ACME_OPERATOR, "/channels/resume", own));
            audited(server, "channel.resumed", ACME_OPERATOR);
            assertThat(server.post(ACME_OPERATOR, "/channels/resume", own).status())
                    .isEqualTo(409);
            String all = "{\"reason\":\"ticket 4711\",\"channel\":\"crm\"}";
            ok(server.post(OPERATOR, "/channels/pause", all));
            JsonNode shown = ok(server.get(ACME_ADMIN, "/channels"));
            assertThat(shown.toString()).contains("\"since\"").doesNotContain("ticket 4711");
            assertThat(server.post(OPERATOR, "/channels/pause", all.replace("crm", "crn"))
                            .text("detail"))
                    .contains("The ledger has no record of crn");

            String mode = "{\"reason\":\"ticket 4711\",\"mode\":\"halted\",\"operation\":\"mail\",\"tenant\":\"acme\","
                    + "\"wait\":true}";
            assertThat(ok(server.post(ACME_OPERATOR, "/modes", mode))
                            .path("waited")
                            .asBoolean())
                    .isTrue();
            audited(server, "mode.changed", ACME_OPERATOR);
            ok(server.post(ADMIN, "/modes", "{\"reason\":\"ticket 4711\",\"mode\":\"SHADOW\",\"prefix\":\"fa\"}"));
            ok(server.post(ADMIN, "/modes", "{\"reason\":\"ticket 4711\",\"mode\":\"SHADOW\",\"label\":\"out\"}"));
            assertThat(ok(server.get(ACME_ADMIN, "/modes")).path("settings")).hasSize(3);
            assertThat(ok(server.get(AdminServer.GLOBEX_ADMIN, "/modes")).path("settings"))
                    .hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void storeIsAdoptedAndServerReloadedOrItsFaultsAreAllTold(LedgerKind kind) {
        try (AdminServer server = kind.start().withTrouble()) {
            assertThat(ok(server.post(ADMIN, "/adopt", REASON)).path("epoch").asInt())
                    .isPositive();
            audited(server, "store.adopted", ADMIN);
            assertThat(ok(server.post(ADMIN, "/reload", REASON)).path("outcome").asString())
                    .isEqualTo("reloaded");
            audited(server, "server.reload", ADMIN);
            server.onReload = () -> new ReloadResult.Rejected(List.of("3:1: first fault", "7:2: second fault"));
            Reply rejected = server.post(ADMIN, "/reload", REASON);
            assertThat(rejected.status()).isEqualTo(409);
            assertThat(rejected.text("code")).isEqualTo("server.reload_rejected");
            assertThat(rejected.json().path("faults").toString()).contains("first fault", "second fault");
        }
    }
}
