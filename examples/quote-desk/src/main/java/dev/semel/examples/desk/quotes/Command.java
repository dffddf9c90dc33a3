package dev.semel.examples.desk.quotes;

import dev.semel.examples.desk.shared.Asked;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request in its normal form: the same however it came in. It is fixed before anything is done, so that a second delivery gives the
 * same operation key.
 *
 * @param target what it acts on
 * @param arguments what else it says
 */
public record Command(Action action, Asked asked, Target target, Map<String, String> arguments) {
    public Command {
        arguments = Map.copyOf(arguments);
    }

    /**
     * @param aggregate the id of a quote or an approval; none for a new quote
     * @param version of the quote that the user saw
     */
    public record Target(
            @Nullable String aggregate, @Nullable Long version) {
        /** Of a command that makes something new. */
        public static final Target NEW = new Target(null, null);
    }

    String required(String argument) {
        String value = arguments.get(argument);
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("The command has no " + argument + ".");
        }
        return value;
    }
}
