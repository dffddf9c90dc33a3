package dev.semel.examples.desk.slack;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.FreeText;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Commands;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.http.ingress.Webhook;
import dev.semel.key.Keys;

/**
 * Everything that Slack sends goes through here, one message for each request, however often Slack delivers it. Slack has its
 * acknowledgement by then: it is given when the message is durable.
 */
public final class Inbox {
    /** What came in and was acknowledged. */
    public static final Channel.Leased<Webhook> REQUESTS = Webhook.leased("slack-inbox");

    private final Semel semel;
    private final Commands commands;
    private final Normaliser normaliser;
    private final Bot bot;
    private final Checkpoint checkpoint;

    public Inbox(Semel semel, Commands commands, Bot bot, Checkpoint checkpoint) {
        this.semel = semel;
        this.commands = commands;
        this.normaliser = new Normaliser(commands);
        this.bot = bot;
        this.checkpoint = checkpoint;
    }

    /** Handles what came in. */
    public void register() {
        semel.handle(REQUESTS, this::handle);
    }

    // region inbox
    private void handle(Webhook webhook, LeasedContext run) throws Exception {
        SlackRequest request = SlackRequest.of(webhook);
        Asked asked = request.asked(run.correlationId());
        if (request.kind() == SlackRequest.Kind.EVENT) {
            run.send(
                    Channels.EXTRACT,
                    Channels.message(Keys.messageId(asked.requestId()), new FreeText(request.text(), asked), asked));
            return;
        }
        // A step is run once: after a crash the same command is found, with the version that it was made for.
        Command command = run.step("normalise", Command.class, key -> normaliser.command(request, asked));
        if (command == null) {
            bot.reply(request, asked);
            return;
        }
        Answer<?> answer = commands.run(command);
        checkpoint.reached("inbox.after-commit");
        bot.show(answer, command);
        repeatUnlessDecided(answer);
    }
    // endregion

    /** An operation that is pending is run again by the retries of its message in this channel. */
    private static void repeatUnlessDecided(Answer<?> answer) {
        if (answer instanceof Answer.RetryLater<?> later) {
            throw later.failure().withRetryAfter(later.in()).asException();
        }
        if (answer instanceof Answer.InProgress<?> running) {
            throw Failure.of(Failure.Category.UPSTREAM_ERROR, running.notice().reason())
                    .asException();
        }
    }
}
