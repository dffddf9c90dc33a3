package dev.semel.examples.desk.demo;

import com.github.tomakehurst.wiremock.client.WireMock;
import dev.semel.examples.demo.ChildProcess;
import dev.semel.examples.demo.LedgerView;
import dev.semel.examples.demo.StandIn;
import dev.semel.examples.desk.DeskSettings;
import dev.semel.examples.desk.shared.Database;
import dev.semel.testkit.Await;
import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The scripted conversation: {@code ./semel example quote-desk}. Slack, the CRM and the model are stand-ins; the rest is real. */
public final class Conversation implements AutoCloseable {
    private static final String SECRET = "the-demo-signing-secret";

    private final Screen screen;
    private final SlackWorkspace workspace = new SlackWorkspace();
    private final CrmDeals deals = new CrmDeals();
    private final StandIn slack = new StandIn(workspace);
    private final StandIn crm = new StandIn(deals);
    private final StandIn model = new StandIn(new ToyModel());
    private final SocketStandIn socket = new SocketStandIn();
    private final SlackUser ada = new SlackUser("ada", "deals", SECRET, this::port);
    private final SlackUser bob = new SlackUser("bob", "deal-desk", SECRET, this::port);
    private final DeskSettings settings;
    private final Database database;
    private ChildProcess desk;
    private int deliveries;

    private Conversation(Screen screen, Path folder) throws Exception {
        this.screen = screen;
        settings = new DeskSettings(
                folder.resolve("desk.db"),
                folder.resolve("documents"),
                slack.uri(),
                new DeskSettings.SlackLogin("xoxb-demo", SECRET),
                crm.uri(),
                model.uri());
        database = new Database(settings.file());
        workspace.useSocket(socket.uri());
        workspace.onShown(screen::shown);
        desk = DeskProcess.start(settings, ChildProcess.NOWHERE);
    }

    /** Plays the conversation and prints it. */
    public static void main(String[] args) throws Exception {
        play(System.out, Files.createTempDirectory("quote-desk-"));
        Runtime.getRuntime().halt(0);
    }

    /**
     * Plays the conversation.
     *
     * @param folder of the database and the PDFs, which are left for whoever wants to look
     */
    public static void play(PrintStream out, Path folder) throws Exception {
        try (Conversation conversation = new Conversation(new Screen(out), folder)) {
            conversation.duplicates();
            conversation.approval();
            conversation.crash("create.before-commit", "inside the transaction that makes the quote", "t20", "Initech");
            conversation.crash("status.after-call", "after Slack got the card, before that was noted", "t30", "Hooli");
            conversation.freeText();
            conversation.socketMode();
            conversation.tally();
        }
    }

    private int port() {
        return desk.port();
    }

    private void duplicates() throws Exception {
        screen.scene("One command, delivered three times");
        SlackUser.Delivery command = ada.command("t1", "new Acme 25 Pro 20%");
        screen.person(ada, "/quote new Acme 25 Pro 20%");
        send(ada, command);
        screen.aside("Slack delivers it again: " + send(ada, command.again(1)));
        screen.aside("and again: " + send(ada, command.again(2)));
        awaitShown("deals", "Q-1001");
    }

    private void approval() throws Exception {
        screen.scene("An approval with a double click, a CRM that does not know a field, a Slack that is busy");
        say(ada, "t2", "price Q-1001");
        awaitShown("deals", "needs an approval");
        say(ada, "t3", "route Q-1001");
        Await.until(
                "the approval is asked for",
                () -> workspace.button("deal-desk", "approve").isPresent());
        crm.fail("/crm/deals", 1, WireMock.jsonResponse("{\"error\":\"field segment is unknown\"}", 422));
        slack.fail(
                "/api/files.completeUploadExternal",
                1,
                WireMock.aResponse().withStatus(429).withHeader("Retry-After", "1"));
        String approval = workspace.button("deal-desk", "approve").orElseThrow();
        screen.person(bob, "presses [approve], twice");
        send(bob, bob.press("t4", "approve", approval));
        send(bob, bob.press("t5", "approve", approval));
        awaitShown("deal-desk", "already processed");
        awaitShown("deals", "Q-1001.pdf");
        Await.until(
                "the CRM has refused it",
                () -> workspace.button("deals", "retry").isPresent());
        screen.aside("somebody adds the field to the CRM");
        screen.person(ada, "presses [retry]");
        send(ada, ada.press("t6", "retry", workspace.button("deals", "retry").orElseThrow()));
        awaitShown("deals", "It is being tried again.");
        Await.until("the deal is in the CRM", () -> deals.deals().containsKey("Q-1001-v3"));
        Await.until("that is noted", () -> count("SELECT count(*) FROM crm_sync WHERE state = 'SYNCED'") == 1);
        screen.aside("the CRM has the deal Q-1001-v3");
    }

    private void crash(String checkpoint, String where, String trigger, String customer) throws Exception {
        screen.scene("The desk dies " + where);
        try (LedgerView ledger = new LedgerView("sqlite:" + settings.file())) {
            // What is left would be continued at the start, and reach the checkpoint too early.
            Await.until("nothing is left to do", ledger::isQuiet);
        }
        desk.close();
        desk = DeskProcess.start(settings, checkpoint);
        screen.person(ada, "/quote new " + customer + " 10 Team");
        send(ada, ada.command(trigger, "new " + customer + " 10 Team"));
        screen.aside("Slack has its acknowledgement; then the process is halted (exit code " + desk.awaitEnd() + ")");
        screen.aside("quotes for " + customer + ": " + quotes(customer) + "; the desk is started again");
        desk = DeskProcess.start(settings, ChildProcess.NOWHERE);
        awaitShown("deals", customer);
        String noted = "SELECT count(*) FROM slack_card JOIN quote ON id = quote WHERE customer = ?";
        Await.until("the card is noted", () -> count(noted, customer) == 1);
        screen.aside("quotes for " + customer + ": " + quotes(customer) + ", status cards: "
                + workspace.posts("deals").stream()
                        .filter(post -> post.text().contains(customer))
                        .count());
    }

    private void freeText() throws Exception {
        screen.scene("Free text, a model that is not understood, a model that is down");
        mention("Ev1", "please quote 40 Team for Globex, 5 % off");
        awaitShown("deals", "Globex");
        mention("Ev2", "we need some Pro for Umbrella");
        awaitShown("deals", "I could not read the quantity.");
        model.fail("/v1/extract", 4, WireMock.aResponse().withStatus(503));
        mention("Ev3", "15 Enterprise for Umbrella");
        Await.until(
                "the form is offered",
                () -> workspace.button("deals", "open_form").isPresent());
        screen.person(ada, "fills in the form: Umbrella, Enterprise, 15");
        send(ada, ada.submit("t40", Map.of("customer", "Umbrella", "product", "Enterprise", "quantity", "15")));
        awaitShown("deals", "Umbrella | 15 x Enterprise");
    }

    private void socketMode() throws Exception {
        screen.scene("Socket Mode: the connection is lost, and the same envelope comes again");
        Await.until("the desk is connected", () -> socket.connections() > 0);
        int before = socket.connections();
        Map<String, String> payload =
                Map.of("trigger_id", "t50", "text", "new Stark 5 Pro", "user_name", "ada", "channel_name", "deals");
        screen.person(ada, "/quote new Stark 5 Pro");
        socket.deliver("e1", "slash_commands", JsonMapper.shared().valueToTree(payload));
        awaitShown("deals", "Stark");
        socket.drop();
        socket.deliver("e2", "slash_commands", JsonMapper.shared().valueToTree(payload));
        Await.until("it is acknowledged", () -> socket.acknowledged().contains("e2"));
        deliveries += 2;
        screen.aside("connections: " + (socket.connections() - before + 1) + ", acknowledged: " + socket.acknowledged()
                + ", quotes for Stark: " + quotes("Stark"));
    }

    private void tally() throws Exception {
        screen.scene("In the end");
        screen.aside(deliveries + " deliveries by Slack, " + count("SELECT count(*) FROM quote") + " quotes, "
                + workspace.posts("deals").stream()
                        .filter(post -> post.token().startsWith("card:"))
                        .count()
                + " status cards, " + deals.deals().size() + " deal in the CRM after "
                + crm.requests("/crm/deals") + " calls, " + workspace.files().size() + " PDF");
        String store = "--store sqlite:" + settings.file();
        screen.aside("what happened in detail:  ./semel audit tail " + store);
        screen.aside("what could not be done:   ./semel dead list " + store);
    }

    private void say(SlackUser user, String trigger, String text) throws Exception {
        screen.person(user, "/quote " + text);
        send(user, user.command(trigger, text));
    }

    private void mention(String event, String text) throws Exception {
        screen.person(ada, "@desk " + text);
        send(ada, ada.mention(event, text));
    }

    private String send(SlackUser user, SlackUser.Delivery delivery) throws Exception {
        deliveries++;
        HttpResponse<String> answer = user.send(delivery);
        return answer.statusCode() + " "
                + answer.headers().firstValue("Semel-Ingress").orElse("");
    }

    private void awaitShown(String channel, String text) throws Exception {
        Await.until(
                "\"" + text + "\" is shown",
                () -> workspace.posts(channel).stream()
                        .anyMatch(post -> post.text().contains(text)));
    }

    private long quotes(String customer) throws Exception {
        return count("SELECT count(*) FROM quote WHERE customer = ?", customer);
    }

    private long count(String sql, Object... values) throws Exception {
        return database.first(sql, row -> row.getLong(1), values).orElse(0L);
    }

    @Override
    public void close() {
        desk.close();
        slack.close();
        crm.close();
        model.close();
        socket.close();
    }
}
