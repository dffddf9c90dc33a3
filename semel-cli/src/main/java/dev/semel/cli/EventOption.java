package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.audit.EventType;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Selects audit events. */
final class EventOption {
    @Mixin
    private FilterOption filter = new FilterOption();

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type, such as system.error.")
    private @Nullable String type;

    CommandInput input() {
        return filter.input().with("type", type == null ? null : known(type));
    }

    private static String known(String type) {
        return EventType.named(type)
                .orElseThrow(() -> new SemelException.Invalid("Unknown event type \"" + type + "\". Use one of: "
                        + Stream.of(EventType.values())
                                .map(EventType::publicName)
                                .collect(Collectors.joining(", "))
                        + "."))
                .publicName();
    }
}
