package dev.semel.server.config;

import java.util.List;
import java.util.Set;

/**
 * Leads webhooks of one source, or messages of one topic, to destinations. Each destination gets one at most once, however many routes
 * lead to it.
 *
 * @param from name of a source or topic
 * @param to names of destinations
 * @param when all of these must hold; none for every webhook
 */
public record RouteConfig(String from, List<String> to, List<Condition> when) {
    public RouteConfig {
        to = List.copyOf(to);
        when = List.copyOf(when);
    }

    /**
     * A condition on the JSON body.
     *
     * @param pointer RFC 6901, such as {@code /data/object/status}
     */
    public record Condition(String pointer, Test test) {}

    /** What must hold of the value at a pointer. A value is compared as text: strings, numbers and booleans as JSON writes them. */
    public sealed interface Test {
        /** One of these. */
        record In(Set<String> values) implements Test {
            public In {
                values = Set.copyOf(values);
            }
        }

        /** A string that begins with this. */
        record Prefix(String text) implements Test {}

        /** Whether there is a value, be it null. */
        record Exists(boolean present) implements Test {}
    }
}
