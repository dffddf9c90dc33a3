package dev.semel.examples.desk;

import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.crm.CrmSync;
import dev.semel.examples.desk.documents.Documents;
import dev.semel.examples.desk.documents.PdfRenderer;
import dev.semel.examples.desk.extraction.Extraction;
import dev.semel.examples.desk.quotes.Commands;
import dev.semel.examples.desk.quotes.Quotes;
import dev.semel.examples.desk.shared.Database;
import dev.semel.examples.desk.slack.Bot;
import dev.semel.examples.desk.slack.DeadLetters;
import dev.semel.examples.desk.slack.Inbox;
import dev.semel.examples.desk.slack.Notices;
import dev.semel.examples.desk.slack.SlackApi;
import dev.semel.examples.desk.slack.SlackServer;
import dev.semel.examples.desk.slack.SocketMode;
import dev.semel.examples.desk.slack.StatusCards;
import dev.semel.examples.desk.web.JsonService;
import dev.semel.http.ingress.Webhook;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** The desk: a ledger in a file, the handlers of its operations and channels, and a door for Slack. */
public final class QuoteDesk implements AutoCloseable {
    private final Database database;
    private final Semel semel;
    private final Commands commands;
    private final DeadLetters deadLetters;
    private final SlackServer server;
    private final SocketMode socket;

    /**
     * What tests and the demo change.
     *
     * @param timeout of a call to another service
     */
    public record Options(
            UnaryOperator<Semel.Settings> settings, PdfRenderer renderer, Checkpoint checkpoint, Duration timeout) {
        private static final List<Policy> CHANNEL_POLICIES = List.of(
                Webhook.INBOX, Policy.SLACK_MESSAGE, Policy.CRM_WRITEBACK, Policy.PDF_RENDER, Policy.LLM_EXTRACT);

        /** As in production. */
        public static final Options USUAL =
                new Options(settings -> settings, new PdfRenderer(), Checkpoint.NONE, Duration.ofSeconds(5));

        /** With other settings of Semel. */
        public Options withSettings(UnaryOperator<Semel.Settings> value) {
            return new Options(value, renderer, checkpoint, timeout);
        }

        /**
         * A crash is noticed after so long, in place of a minute: for one desk on one file, which nobody else takes over from. Another
         * setting of Semel is given before.
         */
        public Options withLease(Duration lease) {
            UnaryOperator<Semel.Settings> before = settings;
            return withSettings(all -> {
                Semel.Settings changed = before.apply(all);
                for (Policy policy : CHANNEL_POLICIES) {
                    changed = changed.withPolicy(
                            policy.toBuilder().withLease(lease).build());
                }
                return changed;
            });
        }

        /** With another renderer. */
        public Options withRenderer(PdfRenderer value) {
            return new Options(settings, value, checkpoint, timeout);
        }

        /** With something that is told where the desk is. */
        public Options withCheckpoint(Checkpoint value) {
            return new Options(settings, renderer, value, timeout);
        }

        /** With another time-out of calls. */
        public Options withTimeout(Duration value) {
            return new Options(settings, renderer, checkpoint, value);
        }
    }

    private QuoteDesk(DeskSettings desk, Options options) throws Exception {
        database = new Database(desk.file());
        database.install();
        semel = options.settings().apply(Semel.settings(database.source())).open();
        deadLetters = new DeadLetters(desk.file());
        commands = new Commands(semel, database);
        Checkpoint checkpoint = options.checkpoint();
        SlackApi slack = new SlackApi(
                new JsonService("Slack", desk.slack(), options.timeout()),
                desk.slackLogin().token());
        new Quotes(checkpoint).register(semel);
        new StatusCards(semel, database, slack, checkpoint).register();
        new Notices(slack, checkpoint).register(semel);
        new CrmSync(semel, new JsonService("CRM", desk.crm(), options.timeout()), checkpoint).register();
        new Documents(semel, database, slack, new Documents.Workshop(options.renderer(), desk.documents(), checkpoint))
                .register();
        new Extraction(semel, commands, new JsonService("The model", desk.model(), options.timeout())).register();
        new Inbox(semel, commands, new Bot(semel, commands, deadLetters), checkpoint).register();
        server = new SlackServer(semel, desk.slackLogin().signingSecret(), 0);
        socket = new SocketMode(semel, slack);
    }

    /** Opens the desk and begins to work: what was left unfinished is continued. */
    public static QuoteDesk open(DeskSettings desk, Options options) throws Exception {
        return new QuoteDesk(desk, options);
    }

    /** Takes requests by Socket Mode, too. */
    public QuoteDesk withSocketMode() {
        socket.start();
        return this;
    }

    /** Where Slack's requests come in by HTTP: {@code http://127.0.0.1:PORT/slack}. */
    public int port() {
        return server.port();
    }

    /** The ledger. */
    public Semel semel() {
        return semel;
    }

    /** The desk's own tables. */
    public Database database() {
        return database;
    }

    /** Runs commands that come from elsewhere, such as a scheduler. */
    public Commands commands() {
        return commands;
    }

    @Override
    public void close() {
        server.close();
        socket.close();
        semel.close();
        deadLetters.close();
    }
}
