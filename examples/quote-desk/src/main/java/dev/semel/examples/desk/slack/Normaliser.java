package dev.semel.examples.desk.slack;

import dev.semel.examples.desk.quotes.Action;
import dev.semel.examples.desk.quotes.Command;
import dev.semel.examples.desk.quotes.Command.Target;
import dev.semel.examples.desk.quotes.Commands;
import dev.semel.examples.desk.quotes.Quote;
import dev.semel.examples.desk.shared.Asked;
import java.sql.SQLException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns what somebody typed or pressed into a command, once: the version of the quote is the one at that moment. */
final class Normaliser {
    private static final Pattern NEW =
            Pattern.compile("new\\s+(\\S+)\\s+(\\d{1,6})\\s+(\\S+)(?:\\s+(\\d{1,2})\\s*%)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern CHANGE = Pattern.compile("(price|route)\\s+(Q-\\d+)", Pattern.CASE_INSENSITIVE);

    private final Commands commands;

    Normaliser(Commands commands) {
        this.commands = commands;
    }

    /** Nothing if it changes no quote. */
    @Nullable
    Command command(SlackRequest request, Asked asked) throws SQLException {
        return switch (request.kind()) {
            case SLASH -> typed(request.text(), asked);
            case INTERACTION -> pressed(request, asked);
            case EVENT -> null;
        };
    }

    private @Nullable Command typed(String text, Asked asked) throws SQLException {
        Matcher wanted = NEW.matcher(text);
        if (wanted.matches()) {
            return create(asked, wanted.group(1), wanted.group(2), wanted.group(3), wanted.group(4));
        }
        Matcher change = CHANGE.matcher(text);
        if (!change.matches()) {
            return null;
        }
        Action action = change.group(1).equalsIgnoreCase("price") ? Action.PRICE : Action.ROUTE;
        Long version = commands.quote(change.group(2)).map(Quote::version).orElse(null);
        return new Command(action, asked, new Target(change.group(2), version), Map.of());
    }

    private static @Nullable Command pressed(SlackRequest request, Asked asked) {
        Map<String, String> fields = request.fields();
        return switch (request.action()) {
            case "approve", "reject" ->
                new Command(
                        Action.DECIDE,
                        asked,
                        new Target(fields.get("value"), null),
                        Map.of("decision", request.action()));
            case "view_submission" ->
                create(
                        asked,
                        fields.getOrDefault("customer", ""),
                        fields.getOrDefault("quantity", "0"),
                        fields.getOrDefault("product", ""),
                        fields.get("discount"));
            default -> null;
        };
    }

    private static Command create(
            Asked asked, String customer, String quantity, String product, @Nullable String discount) {
        return new Command(
                Action.CREATE,
                asked,
                Target.NEW,
                Map.of(
                        "customer",
                        customer,
                        "quantity",
                        quantity,
                        "product",
                        product,
                        "discount",
                        discount == null || discount.isBlank() ? "0" : discount));
    }
}
