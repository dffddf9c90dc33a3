package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.desk.demo.CrmDeals;
import dev.semel.examples.desk.demo.DeskProcess;
import dev.semel.examples.desk.demo.SlackUser;
import dev.semel.examples.desk.demo.SlackWorkspace;
import dev.semel.examples.desk.demo.ToyModel;
import dev.semel.examples.desk.shared.Database;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import dev.semel.testkit.history.Rule;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Section 8.1: the six cases. The desk is a process of its own, on the real clock; cases 3 and 4 halt it. Each run is judged by its
 * history, as section 8.2 asks.
 */
class FaultInjectionTest {
    private static final String SECRET = "a-signing-secret-of-slack";

    private final SlackWorkspace workspace = new SlackWorkspace();
    private final CrmDeals deals = new CrmDeals();
    private final StandIn slack = new StandIn(workspace);
    private final StandIn crm = new StandIn(deals);
    private final StandIn model = new StandIn(new ToyModel());
    private final Path folder = Scratch.directory("quote-desk-faults");
    private final DeskSettings settings = new DeskSettings(
            folder.resolve("desk.db"),
            folder.resolve("documents"),
            slack.uri(),
            new DeskSettings.SlackLogin("xoxb-test", SECRET),
            crm.uri(),
            model.uri());
    private final Database database = new Database(settings.file());
    private final DeskHistory history = new DeskHistory(settings.file(), database, workspace);
    private final SlackUser ada = new SlackUser("ada", "deals", SECRET, this::port);
    private final SlackUser bob = new SlackUser("bob", "deal-desk", SECRET, this::port);
    private ChildProcess desk;

    private int port() {
        return desk.port();
    }

    @AfterEach
    void stop() {
        desk.close();
        slack.close();
        crm.close();
        model.close();
    }

    private void start(String checkpoint) throws Exception {
        desk = DeskProcess.start(settings, checkpoint);
    }

    private void send(SlackUser user, String trigger, SlackUser.Delivery delivery) throws Exception {
        history.delivered(
                trigger, () -> assertThat(user.send(delivery).statusCode()).isEqualTo(200));
    }

    private boolean shows(String channel, String text) {
        return workspace.posts(channel).stream().anyMatch(post -> post.text().contains(text));
    }

    private long count(String sql) throws Exception {
        return database.first(sql, row -> row.getLong(1)).orElseThrow();
    }

    /** Everything is over, and the run kept all rules. */
    private void judge(int quotes) throws Exception {
        try (LedgerView ledger = new LedgerView("sqlite:" + settings.file())) {
            Await.until("nothing is left to do", ledger::isQuiet);
        }
        desk.close();
        assertThat(count("SELECT count(*) FROM quote")).isEqualTo(quotes);
        history.judge().assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8, Rule.R9);
    }

    @Test
    void cases1And2_replayedCommandAndReplayedApprovalHaveOneEffect() throws Exception {
        start(ChildProcess.NOWHERE);
        SlackUser.Delivery command = ada.command("t0", "new Globex 10 Team");
        for (int i = 0; i < 3; i++) {
            send(ada, "t0", i == 0 ? command : command.again(i));
        }
        Await.until("the card is shown", () -> shows("deals", "Globex"));
        routed("Q-1002");
        String approval = workspace.button("deal-desk", "approve").orElseThrow();
        SlackUser.Delivery press = bob.press("t4", "approve", approval);
        for (int i = 0; i < 3; i++) {
            send(bob, "t4", i == 0 ? press : press.again(i));
        }
        Await.until("it is approved", () -> shows("deals", "approved"));
        judge(2);
        assertThat(count("SELECT count(*) FROM quote_event WHERE action = 'DECIDE'"))
                .isEqualTo(1);
        assertThat(deals.deals()).hasSize(1);
    }

    private void routed(String id) throws Exception {
        send(ada, "t1", ada.command("t1", "new Acme 25 Pro 20%"));
        Await.until("the card is shown", () -> shows("deals", id));
        send(ada, "t2", ada.command("t2", "price " + id));
        Await.until("it is priced", () -> shows("deals", "priced"));
        send(ada, "t3", ada.command("t3", "route " + id));
        Await.until(
                "it is asked for",
                () -> workspace.button("deal-desk", "approve").isPresent());
    }

    @Test
    void case3_crashAfterReservationBeforeTheCommit() throws Exception {
        start("create.before-commit");
        send(ada, "t1", ada.command("t1", "new Acme 25 Pro"));
        assertThat(desk.awaitEnd()).isEqualTo(ChildProcess.HALTED);
        assertThat(count("SELECT count(*) FROM quote")).isZero();
        start(ChildProcess.NOWHERE);
        send(ada, "t1", ada.command("t1", "new Acme 25 Pro").again(1));
        Await.until("the card is shown", () -> shows("deals", "Acme"));
        judge(1);
    }

    @Test
    void case4_crashAfterTheCommitBeforeTheSideEffectIsDone() throws Exception {
        start("inbox.after-commit");
        send(ada, "t1", ada.command("t1", "new Acme 25 Pro"));
        assertThat(desk.awaitEnd()).isEqualTo(ChildProcess.HALTED);
        assertThat(count("SELECT count(*) FROM quote")).isEqualTo(1);
        start("status.after-call");
        assertThat(desk.awaitEnd()).isEqualTo(ChildProcess.HALTED);
        assertThat(count("SELECT count(*) FROM slack_card")).isZero();
        start(ChildProcess.NOWHERE);
        Await.until("the card is noted", () -> count("SELECT count(*) FROM slack_card") == 1);
        judge(1);
        assertThat(workspace.posts("deals")).hasSize(1);
    }

    @Test
    void cases5And6_slackRateLimitAndErrorsThenCrmTimeoutAndExpiredLogin() throws Exception {
        for (ResponseDefinitionBuilder fault : List.of(
                WireMock.aResponse().withStatus(429).withHeader("Retry-After", "1"),
                WireMock.aResponse().withStatus(503))) {
            slack.fail("/api/chat.postMessage", 1, fault);
        }
        crm.fail("/crm/deals", 1, WireMock.aResponse().withFixedDelay(3000));
        crm.fail("/crm/deals", 1, WireMock.aResponse().withStatus(401)); // the newest fault comes first
        start(ChildProcess.NOWHERE);
        routed("Q-1001");
        send(
                bob,
                "t4",
                bob.press(
                        "t4",
                        "approve",
                        workspace.button("deal-desk", "approve").orElseThrow()));
        Await.until("the user is told", () -> shows("deals", "The CRM login has expired"));
        Await.until("the channel is resumed", () -> history.resume("crm-writeback"));
        Await.until("it is in the CRM", () -> count("SELECT count(*) FROM crm_sync WHERE state = 'SYNCED'") == 1);
        judge(1);
        assertThat(deals.deals()).hasSize(1);
        history.assertRetried("slack-status", "rate_limited");
        history.assertRetried("crm-writeback", "timeout");
    }
}
