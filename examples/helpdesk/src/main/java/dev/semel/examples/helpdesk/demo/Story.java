package dev.semel.examples.helpdesk.demo;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.Mode;
import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.demo.Transcript;
import dev.semel.examples.helpdesk.Middleware;
import dev.semel.examples.helpdesk.demo.Tickets.CustomerMessage;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.testkit.Await;
import dev.semel.testkit.history.Judgement;
import java.io.PrintStream;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The scripted story: {@code ./semel example helpdesk}. The helpdesk is a stand-in that fails on purpose; the rest is real. */
public final class Story implements AutoCloseable {
    private static final String SECRET = "the-demo-signing-secret";
    private static final String ACT = "helpdesk.act";
    private static final List<String> ALL = List.of("assign", "reply", "tag");

    private final Transcript transcript;
    private final Tickets tickets = new Tickets();
    private final StandIn helpdesk = new StandIn(tickets);
    private final WebhookSender sender = new WebhookSender(SECRET);
    private final HelpdeskHistory history = new HelpdeskHistory(tickets);
    private final Middleware.Settings settings;
    private ChildProcess middleware;
    private final LedgerView ledger;
    private int webhooks;

    private Story(PrintStream out, Path folder) throws Exception {
        transcript = new Transcript(out);
        tickets.onCall(this::seen);
        settings = new Middleware.Settings("sqlite:" + folder.resolve("helpdesk.db"), helpdesk.uri(), SECRET);
        middleware = MiddlewareProcess.start(settings, ChildProcess.NOWHERE);
        ledger = new LedgerView(settings.store());
    }

    /** Plays the story and prints it; the exit code is 0 only if the history checker found nothing wrong. */
    public static void main(String[] args) {
        int exit = 1;
        try {
            Judgement judgement = play(System.out, Files.createTempDirectory("helpdesk-"));
            judgement.violations().forEach(System.err::println);
            exit = judgement.holds() ? 0 : 1;
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
        }
        // The threads of the stand-in would keep the process alive.
        Runtime.getRuntime().halt(exit);
    }

    /**
     * Plays the story.
     *
     * @param folder of the ledger, which is left for whoever wants to look
     * @return what the history checker says of it
     */
    public static Judgement play(PrintStream out, Path folder) throws Exception {
        try (Story story = new Story(out, folder)) {
            story.duplicates();
            story.busyHelpdesk();
            story.rejectedAction();
            story.crash();
            story.killSwitch();
            story.shadowMode();
            story.missedWebhook();
            return story.tally();
        }
    }

    private void seen(Tickets.Call call) {
        String what = switch (call.kind()) {
            case "assign" -> "assign to " + call.target();
            case "tag" -> "tag " + call.target();
            default -> "reply \"" + call.text() + "\"";
        };
        String reception = switch (call.reception()) {
            case APPLIED -> "";
            case REPEATED -> "  (came before under this key: nothing is done)";
            case FAILED -> "  (fails)";
        };
        transcript.line("helpdesk", call.conversation(), what + reception);
    }

    private void duplicates() throws Exception {
        transcript.scene("One message, three webhooks: a redelivery, and a second rule of the helpdesk");
        CustomerMessage message = written("c1", "I want a refund");
        send(message, message.json());
        send(message, message.json());
        send(message, message.json("vip-customers"));
        awaitActions("c1");
    }

    private void busyHelpdesk() throws Exception {
        transcript.scene("The helpdesk answers 429 with Retry-After: 1, and 503");
        CustomerMessage message = written("c2", "Where is my parcel?");
        tickets.fail("assign", "c2", WireMock.aResponse().withStatus(429).withHeader("Retry-After", "1"));
        tickets.fail("reply", "c2", WireMock.aResponse().withStatus(503));
        send(message, message.json());
        awaitActions("c2");
        List<Long> delays = ledger.delays(ACT);
        if (delays.get(0) < 1000) {
            throw new IllegalStateException("Retried after " + delays.get(0) + " ms, before Retry-After.");
        }
        transcript.line("", "ops", delays.size() + " retries, the first not before Retry-After");
    }

    private void rejectedAction() throws Exception {
        transcript.scene("The helpdesk rejects a reply: it is not retried, a human gets the conversation");
        CustomerMessage message = written("c3", "My order is wrong");
        tickets.fail("reply", "c3", WireMock.aResponse().withStatus(422));
        send(message, message.json());
        Await.until("the reply is dead", () -> deadLetters().size() == 1);
        awaitDone("c3", List.of("assign", "tag"));
        Row dead = deadLetters().get(0);
        Object reason = ledger.audit(ACT, "system.error").get(0).get("reason");
        transcript.line("", "ops", "1 dead letter, c3 is in the list of handovers: " + reason);
        transcript.line(
                "",
                "ops",
                "mends the template, semel dead replay " + dead.id().hex().substring(0, 12));
        ledger.operator().replay(dead.id(), new Operator.Warrant("ann", "template mended"));
        awaitActions("c3");
    }

    private List<Row> deadLetters() {
        return ledger.rows(State.FAILED_TERMINAL, ACT);
    }

    private void crash() throws Exception {
        transcript.scene("The middleware dies after the helpdesk got the assignment, before that was recorded");
        middleware.close();
        middleware = MiddlewareProcess.start(settings, "act.after-call");
        CustomerMessage message = written("c4", "Money back, please");
        send(message, message.json());
        transcript.aside("the process is halted (exit code " + middleware.awaitEnd() + ") and started again");
        middleware = MiddlewareProcess.start(settings, ChildProcess.NOWHERE);
        awaitActions("c4");
    }

    private void killSwitch() throws Exception {
        transcript.scene("The kill switch");
        set(Mode.HALTED);
        CustomerMessage message = written("c5", "Nobody answers");
        send(message, message.json());
        Await.until("it is decided", () -> ledger.rows(State.QUEUED, ACT).size() == ALL.size());
        transcript.line("", "ops", ALL.size() + " actions wait, calls to the helpdesk: " + calls("c5"));
        set(Mode.LIVE);
        awaitActions("c5");
    }

    private void shadowMode() throws Exception {
        transcript.scene("Shadow mode: decisions are made and recorded, nothing is done");
        set(Mode.SHADOW);
        CustomerMessage message = written("c6", "How do I return a parcel?");
        send(message, message.json());
        Await.until("it is decided", () -> ledger.rows(State.SHADOWED, ACT).size() == ALL.size());
        transcript.line("", "ops", ALL.size() + " actions are SHADOWED, calls to the helpdesk: " + calls("c6"));
        set(Mode.LIVE);
    }

    private void missedWebhook() throws Exception {
        transcript.scene("The middleware is down, and the helpdesk sends a webhook only once");
        middleware.close();
        CustomerMessage message = written("c7", "Is anybody there?");
        try {
            sender.send(middleware.port(), message.json());
            throw new IllegalStateException("The middleware is down, and its port answered.");
        } catch (ConnectException e) {
            transcript.aside("webhook c7: connection refused");
        }
        transcript.aside("the middleware is started, and fetches the tickets without its mark");
        middleware = MiddlewareProcess.start(settings, ChildProcess.NOWHERE);
        awaitActions("c7");
    }

    private Judgement tally() {
        Await.until("nothing is left to do", ledger::isQuiet);
        transcript.scene("In the end");
        long repeated = tickets.calls().stream()
                .filter(call -> call.reception() == Tickets.Reception.REPEATED)
                .count();
        transcript.aside(
                webhooks + " webhooks acknowledged, " + tickets.applied().size() + " actions applied by the helpdesk, "
                        + repeated + " recognised as repeated");
        Judgement judgement = history.judge(ledger);
        transcript.aside("history checker: "
                + (judgement.holds()
                        ? "nothing lost, nothing done twice, audit unbroken"
                        : judgement.violations().size() + " violations"));
        transcript.aside("what happened in detail:    ./semel audit tail --store " + settings.store());
        transcript.aside("what shadow mode held back: ./semel ops list --state SHADOWED --store " + settings.store());
        return judgement;
    }

    private long calls(String conversation) {
        return tickets.calls().stream()
                .filter(call -> call.conversation().equals(conversation))
                .count();
    }

    private CustomerMessage written(String conversation, String text) {
        transcript.line("customer", conversation, text);
        return tickets.write(conversation, "m-" + conversation, text);
    }

    private void send(CustomerMessage message, String body) throws Exception {
        String answer = history.delivered(message, () -> sender.deliver(middleware.port(), body));
        webhooks++;
        transcript.aside("webhook " + message.conversation() + ": 200 " + answer);
    }

    private void set(Mode mode) throws InterruptedException {
        transcript.line("", "ops", "semel mode set " + mode + " --label side-effects --wait");
        Switchboard.Group group = new Switchboard.Group(Switchboard.Group.By.LABEL, "side-effects");
        ledger.operator()
                .setMode(Switchboard.Setting.forGroup(null, group, mode), new Operator.Warrant("ann", "the demo"));
        ledger.operator().awaitModes();
    }

    private void awaitActions(String conversation) {
        awaitDone(conversation, ALL);
        Await.until("the ends are recorded", ledger::isQuiet);
    }

    private void awaitDone(String conversation, List<String> kinds) {
        Await.until(
                kinds + " of " + conversation + " are done",
                () -> tickets.applied().stream()
                        .filter(call -> call.conversation().equals(conversation))
                        .map(Tickets.Call::kind)
                        .toList()
                        .containsAll(kinds));
    }

    @Override
    public void close() {
        ledger.close();
        middleware.close();
        helpdesk.close();
    }
}
