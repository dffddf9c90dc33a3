package dev.semel.examples.desk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.audit.Sealer;
import dev.semel.audit.Verification;
import dev.semel.examples.desk.demo.SlackWorkspace;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.shared.Database;
import dev.semel.key.Identity;
import dev.semel.key.Keys;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import dev.semel.time.TimeSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
    private final History history = History.inMemory("slack", TimeSource.system());
    private final Map<RecordId, String> names = new HashMap<>();

    DeskHistory(Path file, Database database, SlackWorkspace workspace) {
        this.file = file;
        this.database = database;
        this.workspace = workspace;
    }

    /** Slack delivers a request; if nothing is thrown, it was acknowledged. */
    void delivered(String trigger, ThrowingCallable delivery) throws Exception {
        boolean interaction = trigger.equals("t4");
        String label = interaction ? "form:payload:/trigger_id" : "form:trigger_id";
        String record = "inbox:" + trigger;
        names.put(
                Identity.of(Tenant.SINGLE, "slack-inbox", Keys.event("slack", label, trigger))
                        .id(),
                record);
        long call = history.invoke(record, null);
        try {
            delivery.call();
        } catch (Throwable e) {
            throw new AssertionError("not acknowledged", e);
        }
        history.end(record, call, Ending.ACCEPTED, Grant.NONE, null);
    }

    private Store open() {
        return Stores.open("sqlite:" + file, StoreProvider.Options.EXISTING);
    }

    /** Somebody has renewed a login. */
    boolean resume(String channel) {
        try (Store store = open()) {
            return Operator.on(store).resume(channel, null, new Operator.Warrant("ann", "login renewed"));
        }
    }

    Judgement judge() throws Exception {
        readOperations();
        readEffects();
        try (Store store = open()) {
            readLedger(store);
            readAudit(store);
        }
        return HistoryChecker.check(history.events());
    }

    private void readOperations() throws Exception {
        for (String[] row : database.all(
                "SELECT record, command FROM command", row -> new String[] {row.getString(1), row.getString(2)})) {
            Command command = JsonMapper.shared().readValue(row[1], Command.class);
            try (Store store = open()) {
                Operator.on(store)
                        .find(row[0])
                        .forEach(found ->
                                names.put(found.id(), "quote:" + command.asked().requestId()));
            }
        }
    }

    private void readEffects() throws Exception {
        for (String request : database.all("SELECT request FROM quote_event", row -> row.getString(1))) {
            applied("quote:" + request);
        }
        List<SlackWorkspace.Post> posts = new ArrayList<>(workspace.posts("deals"));
        posts.addAll(workspace.posts("deal-desk"));
        for (SlackWorkspace.Post post : posts) {
            String record = "shown:" + post.token();
            long call = history.invoke(record, null);
            history.end(record, call, Ending.BUSY, Grant.NONE, null);
            applied(record);
        }
    }

    private void applied(String record) {
        history.append(stamp -> new Event.Delivered(stamp, record, Grant.NONE, null, Reception.APPLIED, null));
    }

    private void readLedger(Store store) {
        Map<RecordId, Row> rows =
                store.ledger().find(List.copyOf(names.keySet())).rows();
        rows.forEach((id, row) -> history.append(
                stamp -> new Event.Left(stamp, names.get(id), row.state().name(), null, false)));
    }

    private void readAudit(Store store) {
        new Sealer(store.audit()).sealAll();
        Verification.VerificationReport report = new Verification(store.audit()).verify(null);
        history.append(stamp -> new Event.Chained(
                stamp,
                report.intact(),
                report.damage().map(Verification.Damage::sentence).orElse("")));
        for (AuditRow row : store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE)) {
            RecordId id = row.entry().subject().record();
            String record = id == null ? null : names.get(id);
            if (record != null) {
                String type = EventType.of(row.entry().type()).orElseThrow().publicName();
                Grant grant = new Grant(row.entry().fence(), row.entry().attempt());
                history.append(stamp -> new Event.Audited(stamp, record, type, grant));
                if (type.equals("operation.executed") && record.startsWith("quote:")) {
                    long call = history.invoke(record, null);
                    history.end(record, call, Ending.EXECUTED, grant, null);
                }
            }
        }
    }

    /** The audit tells of a retry of this channel for this reason. */
    void assertRetried(String channel, String category) {
        try (Store store = open()) {
            assertThat(store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE).stream()
                            .map(row -> new AuditEvent(row).fields())
                            .filter(event -> channel.equals(event.get("operation")))
                            .filter(event -> "retry.attempt".equals(event.get("type"))))
                    .extracting(event -> event.get("category"))
                    .contains(category);
        }
    }
}
