package dev.semel.examples.desk;

import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.demo.TickingClock;
import dev.semel.examples.desk.demo.CrmDeals;
import dev.semel.examples.desk.demo.SlackUser;
import dev.semel.examples.desk.demo.SlackWorkspace;
import dev.semel.examples.desk.demo.SocketStandIn;
import dev.semel.examples.desk.demo.ToyModel;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import dev.semel.watch.MicrometerWatch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A desk on a manual clock with stand-ins for everything around it, and two people. The clock ticks as clocks do, because the desk's own
 * pauses pass by it; retries are reached by moving it.
 */
final class Office implements AutoCloseable {
    static final String SECRET = "a-signing-secret-of-slack";

    final SlackWorkspace workspace = new SlackWorkspace();
    final CrmDeals deals = new CrmDeals();
    final StandIn slack = new StandIn(workspace);
    final StandIn crm = new StandIn(deals);
    final StandIn model = new StandIn(new ToyModel());
    final SocketStandIn socket;
    final TickingClock time = new TickingClock();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Path folder = Scratch.directory("quote-desk");
    final SlackUser ada = new SlackUser("ada", "deals", SECRET, this::port);
    final SlackUser bob = new SlackUser("bob", "deal-desk", SECRET, this::port);
    private final QuoteDesk desk;
    private final LedgerView ledger;

    Office() throws Exception {
        this(options -> options);
    }

    Office(UnaryOperator<QuoteDesk.Options> more) throws Exception {
        socket = new SocketStandIn();
        workspace.useSocket(socket.uri());
        desk = QuoteDesk.open(settings(), more.apply(usual()));
        ledger = new LedgerView(url());
    }

    private QuoteDesk.Options usual() {
        return QuoteDesk.Options.USUAL.withSettings(settings ->
                settings.withClock(time).withWatch(MicrometerWatch.of(meters)).withAuditOfEachReplay());
    }

    DeskSettings settings() {
        return new DeskSettings(
                folder.resolve("desk.db"),
                folder.resolve("documents"),
                slack.uri(),
                new DeskSettings.SlackLogin("xoxb-test", SECRET),
                crm.uri(),
                model.uri());
    }

    QuoteDesk desk() {
        return desk;
    }

    private int port() {
        return desk.port();
    }

    String url() {
        return "sqlite:" + settings().file();
    }

    /** Sends it and demands the acknowledgement; returns what the ingress says of it. */
    String send(SlackUser user, SlackUser.Delivery delivery) throws Exception {
        HttpResponse<String> answer = user.send(delivery);
        if (answer.statusCode() != 200) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
        return answer.headers().firstValue("Semel-Ingress").orElse("");
    }

    long count(String sql, Object... values) throws SQLException {
        return desk.database().first(sql, row -> row.getLong(1), values).orElseThrow();
    }

    /** Lets the time pass up to each retry of a channel, until the condition holds. */
    void retryUntil(String operation, Await.Condition condition) {
        time.retryUntil(ledger, operation, condition);
    }

    /** The records of an operation or channel in a state. */
    List<Row> rows(State state, String operation) {
        return ledger.rows(state, operation);
    }

    /** The audit of an operation or channel, oldest first, each event by the names of its fields. */
    List<Map<String, Object>> audit(String operation) {
        return ledger.audit(operation);
    }

    /** Of these, those of a type. */
    List<Map<String, Object>> audit(String operation, String type) {
        return ledger.audit(operation, type);
    }

    /** The delays before the retries of a channel, in milliseconds. */
    List<Long> delays(String channel) {
        return ledger.delays(channel);
    }

    Operator operator() {
        return ledger.operator();
    }

    /** A quote that is approved, so that it goes to the CRM and to the printer. */
    void approvedQuote(String customer) throws Exception {
        send(ada, ada.command("new-" + customer, "new " + customer + " 10 Pro"));
        String id = Await.until(
                        "the quote is there",
                        () -> desk.database()
                                .first("SELECT id FROM quote WHERE customer = ?", row -> row.getString(1), customer),
                        Optional::isPresent)
                .orElseThrow();
        send(ada, ada.command("price-" + customer, "price " + id));
    }

    /** Whether a message with this text is in a channel. */
    boolean shows(String channel, String text) {
        return workspace.posts(channel).stream().anyMatch(post -> post.text().contains(text));
    }

    @Override
    public void close() {
        desk.close();
        ledger.close();
        time.close();
        slack.close();
        crm.close();
        model.close();
        socket.close();
    }
}
