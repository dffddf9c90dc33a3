package dev.semel.examples.helpdesk;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Mode;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.demo.TickingClock;
import dev.semel.examples.helpdesk.demo.HelpdeskHistory;
import dev.semel.examples.helpdesk.demo.Tickets;
import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.examples.helpdesk.demo.WebhookSender;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.Await;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import java.time.Duration;
import java.util.List;

/** The middleware on a store of its own and a clock that is moved, with a stand-in for the helpdesk that may be told to fail. */
final class DeskFixture implements AutoCloseable {
    static final String ACT = "helpdesk.act";
    static final Operator.Warrant ANN = new Operator.Warrant("ann", "a test");
    private static final String SECRET = "a-secret-of-the-helpdesk";

    final Tickets tickets = new Tickets();
    final TickingClock clock = new TickingClock();
    final WebhookSender sender = new WebhookSender(SECRET);
    final HelpdeskHistory history = new HelpdeskHistory(tickets);
    final LedgerView ledger;
    private final StandIn helpdesk = new StandIn(tickets);
    private final Middleware.Settings settings;
    private final Duration timeout;
    private Middleware middleware;

    /** With so much time for each call that a slow machine does not make one fail. */
    DeskFixture(Engine engine) throws Exception {
        this(engine, Duration.ofMinutes(1));
    }

    /** @param timeout of a call to the helpdesk, in real time */
    DeskFixture(Engine engine, Duration timeout) throws Exception {
        this.timeout = timeout;
        settings = new Middleware.Settings(engine.fresh(), helpdesk.uri(), SECRET);
        middleware = open();
        ledger = new LedgerView(settings.store());
    }

    private Middleware open() throws Exception {
        return Middleware.open(
                settings, Middleware.Options.USUAL.withClock(clock).withTimeout(timeout));
    }

    Middleware middleware() {
        return middleware;
    }

    /** A deployment: the old process ends in an orderly way, a new one starts. */
    void redeploy() throws Exception {
        middleware.close();
        middleware = open();
    }

    /** A customer writes, and the helpdesk sends the webhook; returns the message. */
    CustomerMessage receive(String conversation, String id, String text) throws Exception {
        CustomerMessage message = tickets.write(conversation, id, text);
        deliver(message, message.json());
        return message;
    }

    /** Delivers a signed webhook of a message; returns what the ingress says of it. */
    String deliver(CustomerMessage message, String body) throws Exception {
        return history.delivered(message, () -> sender.deliver(middleware.port(), body));
    }

    static ResponseDefinitionBuilder status(int status) {
        return WireMock.aResponse().withStatus(status);
    }

    static ResponseDefinitionBuilder retryAfter(int status, String value) {
        return status(status).withHeader("Retry-After", value);
    }

    /** Lets the time pass up to each retry, until so many actions are done. */
    void awaitDone(int actions) {
        clock.retryUntil(ledger, ACT, () -> ledger.rows(State.COMPLETED, ACT).size() == actions);
    }

    /** Waits, without moving the clock, until so many records of a channel are in a state; returns them. */
    List<Row> await(State state, String channel, int count) {
        return Await.until(
                count + " of " + channel + " are " + state,
                () -> ledger.rows(state, channel),
                rows -> rows.size() == count);
    }

    /** Lets the time pass up to each retry, until so many records of a channel are dead letters; returns them. */
    List<Row> awaitDead(String channel, int count) {
        clock.retryUntil(
                ledger,
                channel,
                () -> ledger.rows(State.FAILED_TERMINAL, channel).size() == count);
        return ledger.rows(State.FAILED_TERMINAL, channel);
    }

    /** The conversations of the actions of a kind that took effect, in order. */
    List<String> applied(String kind) {
        return tickets.applied().stream()
                .filter(call -> call.kind().equals(kind))
                .map(Tickets.Call::conversation)
                .toList();
    }

    /** Switches everything that acts on the helpdesk, and waits until it applies. */
    void switchSideEffects(Mode mode) throws Exception {
        Switchboard.Group group = new Switchboard.Group(Switchboard.Group.By.LABEL, Channels.SIDE_EFFECTS);
        ledger.operator().setMode(Switchboard.Setting.forGroup(null, group, mode), ANN);
        clock.advance(Duration.ofSeconds(5));
        ledger.operator().awaitModes();
    }

    /** Nothing was lost, doubled or overtaken, and the audit tells all of it. Waits until nothing is under way. */
    void assertHistoryHolds() {
        judge().assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8, Rule.R9, Rule.R10);
    }

    /** As {@link #assertHistoryHolds}, where every action was replayed by an operator and so has lost its place. */
    void assertHistoryOfReplaysHolds() {
        judge().assertHolds(Rule.R1, Rule.R2, Rule.R7, Rule.R8, Rule.R9);
    }

    private Judgement judge() {
        Await.until("nothing is left to do", ledger::isQuiet);
        return history.judge(ledger);
    }

    @Override
    public void close() {
        middleware.close();
        ledger.close();
        clock.close();
        helpdesk.close();
    }
}
