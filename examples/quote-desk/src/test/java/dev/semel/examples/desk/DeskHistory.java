package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.examples.demo.LedgerHistory;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.desk.demo.SlackWorkspace;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.shared.Database;
import dev.semel.key.Identity;
import dev.semel.key.Keys;
import dev.semel.operator.Operator;
import dev.semel.testkit.history.Judgement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What happened to a desk, for the history checker: what Slack delivered and got acknowledged, written down as it happened; the effects in
 * the tables and in Slack, the ledger and the audit, read afterwards. A request has two records: its message in the inbox
 * ({@code inbox:t1}) and its operation ({@code quote:t1}); what people see goes by its token ({@code shown:card:Q-1001}).
 */
final class DeskHistory {
    private final Path file;
    private final Database database;
    private final SlackWorkspace workspace;
    private final LedgerHistory history = new LedgerHistory();

    DeskHistory(Path file, Database database, SlackWorkspace workspace) {
        this.file = file;
        this.database = database;
        this.workspace = workspace;
    }

    /** Slack delivers a request; if nothing is thrown, it was acknowledged. */
    void delivered(String trigger, Callable<?> delivery) throws Exception {
        boolean interaction = trigger.equals("t4");
        String label = interaction ? "form:payload:/trigger_id" : "form:trigger_id";
        String record = "inbox:" + trigger;
        history.name(
                Identity.of(Tenant.SINGLE, "slack-inbox", Keys.event("slack", label, trigger))
                        .id(),
                record);
        history.delivered(record, delivery);
    }

    private LedgerView open() {
        return new LedgerView("sqlite:" + file);
    }

    /** Somebody has renewed a login. */
    boolean resume(String channel) {
        try (LedgerView ledger = open()) {
            return ledger.operator().resume(channel, null, new Operator.Warrant("ann", "login renewed"));
        }
    }

    Judgement judge() throws Exception {
        readEffects();
        try (LedgerView ledger = open()) {
            readOperations(ledger);
            return history.judge(ledger.store(), record -> record.startsWith("quote:"));
        }
    }

    private void readOperations(LedgerView ledger) throws Exception {
        for (String[] row : database.all(
                "SELECT record, command FROM command", row -> new String[] {row.getString(1), row.getString(2)})) {
            Command command = JsonMapper.shared().readValue(row[1], Command.class);
            ledger.operator()
                    .find(row[0])
                    .forEach(found ->
                            history.name(found.id(), "quote:" + command.asked().requestId()));
        }
    }

    private void readEffects() throws Exception {
        for (String request : database.all("SELECT request FROM quote_event", row -> row.getString(1))) {
            history.applied("quote:" + request, null);
        }
        List<SlackWorkspace.Post> posts = new ArrayList<>(workspace.posts("deals"));
        posts.addAll(workspace.posts("deal-desk"));
        for (SlackWorkspace.Post post : posts) {
            String record = "shown:" + post.token();
            history.worked(record);
            history.applied(record, null);
        }
    }

    /** The audit tells of a retry of this channel for this reason. */
    void assertRetried(String channel, String category) {
        try (LedgerView ledger = open()) {
            assertThat(ledger.audit(channel, "retry.attempt"))
                    .extracting(event -> event.get("category"))
                    .contains(category);
        }
    }
}
