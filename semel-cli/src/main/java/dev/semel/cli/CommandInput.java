package dev.semel.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The parameters of a request, or the members of its body. */
final class CommandInput {
    private final Map<String, Object> members = new LinkedHashMap<>();

    private CommandInput() {}

    static CommandInput none() {
        return new CommandInput();
    }

    static CommandInput of(String name, @Nullable Object value) {
        return new CommandInput().with(name, value);
    }

    /** One more, unless it is null. */
    CommandInput with(String name, @Nullable Object value) {
        if (value != null) {
            members.put(name, value);
        }
        return this;
    }

    Map<String, Object> members() {
        return members;
    }
}
