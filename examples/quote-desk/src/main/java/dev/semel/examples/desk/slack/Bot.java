package dev.semel.examples.desk.slack;

import dev.semel.Answer;
import dev.semel.Answer.Next;
import dev.semel.CallStatus;
import dev.semel.Cancellation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Commands;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.key.Keys;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Says in Slack why something is not done and what can be done next, and does it when the button is pressed. */
public final class Bot {
    private static final String USAGE =
            "I understand: new CUSTOMER QUANTITY PRODUCT [DISCOUNT%], price ID, route ID, status ID.";

    private final Semel semel;
    private final Commands commands;
    private final DeadLetters deadLetters;

    public Bot(Semel semel, Commands commands, DeadLetters deadLetters) {
        this.semel = semel;
        this.commands = commands;
        this.deadLetters = deadLetters;
    }

    // region show
    /** Shows an answer that is not a result; a result shows itself by the quote's card. */
    void show(Answer<?> answer, Command command) {
        Asked asked = command.asked();
        answer.fold(result -> null, notice -> {
            boolean pending = notice.next().contains(Next.RETRY);
            String text = pending
                    ? "Operation pending retry: " + notice.reason()
                    : "Not done: " + notice.reason() + " " + fallback(command);
            say(asked, "answer", text + " (ref " + notice.correlationId() + ")", buttons(notice));
            return null;
        });
    }

    private static List<Note.Button> buttons(Answer.Notice notice) {
        List<Note.Button> buttons = new ArrayList<>();
        String record = notice.recordId();
        if (record != null) {
            add(buttons, notice.next(), Next.RETRY, new Note.Button("Retry", "retry", record));
            add(buttons, notice.next(), Next.CHECK_STATUS, new Note.Button("Check status", "status", record));
            add(buttons, notice.next(), Next.CANCEL, new Note.Button("Cancel", "cancel", record));
        }
        return buttons;
    }
    // endregion

    private static void add(List<Note.Button> buttons, Set<Next> valid, Next next, Note.Button button) {
        if (valid.contains(next)) {
            buttons.add(button);
        }
    }

    private static String fallback(Command command) {
        String quote = command.target().aggregate();
        return quote != null && quote.startsWith("Q-")
                ? "Try `/quote status " + quote + "`, or contact the deal desk."
                : "Please contact the deal desk.";
    }

    /** Answers what changes no quote: questions, buttons, and what cannot be understood. */
    void reply(SlackRequest request, Asked asked) throws SQLException {
        String[] words = (request.kind() == SlackRequest.Kind.SLASH
                        ? request.text()
                        : request.action() + " " + request.fields().getOrDefault("value", ""))
                .split("\\s+", 2);
        String about = words.length > 1 ? words[1] : "";
        String text = switch (words[0]) {
            case "status" -> status(about);
            case "retry" -> retry(about, asked);
            case "cancel" ->
                semel.cancel(Tenant.SINGLE, about, Cancellation.by(asked.user(), "cancelled in Slack"))
                        .reason();
            case "open_form" -> "Form: customer, product, quantity. (Slack shows it as a dialog.)";
            default -> USAGE;
        };
        say(asked, "reply", text, List.of());
    }

    private String status(String about) throws SQLException {
        if (about.startsWith("Q-")) {
            return commands.quote(about).map(quote -> quote.line()).orElse("There is no quote " + about + ".");
        }
        return semel.status(Tenant.SINGLE, about)
                .map(Bot::words)
                .orElse("Nothing is known of this; it may be too long ago.");
    }

    private static String words(CallStatus status) {
        return status.operation() + ": " + status.reason();
    }

    /** A command is run again under its key; a dead letter is sent to its handler again. */
    private String retry(String record, Asked asked) throws SQLException {
        Optional<Command> command = commands.find(record);
        if (command.isPresent()) {
            return commands.run(command.get()).fold(result -> "Done.", Answer.Notice::reason);
        }
        return deadLetters.replay(record, asked.user());
    }

    /** Once for each request: a second message with the same token is a duplicate. */
    private void say(Asked asked, String what, String text, List<Note.Button> buttons) {
        String token = what + ":" + asked.requestId();
        semel.send(
                Channels.NOTICE,
                Channels.message(Keys.messageId(token), new Note(asked.channel(), token, text, buttons, asked), asked));
    }
}
