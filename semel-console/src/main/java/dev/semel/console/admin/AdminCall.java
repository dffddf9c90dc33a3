package dev.semel.console.admin;

import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Field;
import dev.semel.console.rest.JsonBody;
import dev.semel.operator.Operator.Warrant;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request of a person who may ask for this. A parameter or member of the body that the table of endpoints does not have cannot be
 * read; one that it has and that nobody reads is found by {@link #demandAllRead}.
 */
final class AdminCall {
    private static final Pattern SPAN = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

    private final TenantSight sight;
    private final List<String> values;
    private final Map<String, String> parameters;
    private final @Nullable JsonBody body;
    private final Stream<String> lines;
    private final Set<String> known;
    private final Set<String> read = new HashSet<>();

    /**
     * @param values of the variable parts of the path
     * @param body null where there is none
     * @param lines of a body of lines
     */
    AdminCall(Endpoint endpoint, TenantSight sight, List<String> values, AdminInput input) throws ApiProblem {
        this.sight = sight;
        this.values = values;
        this.parameters = input.parameters();
        this.body = input.body();
        this.lines = input.lines();
        this.known = Stream.concat(endpoint.input().query().stream(), endpoint.input().body().stream())
                .map(Field::name)
                .collect(Collectors.toSet());
        demandKnown(endpoint);
    }

    /**
     * What a request holds.
     *
     * @param body null where there is none
     * @param lines of a body of lines; empty where there is none
     */
    record AdminInput(
            Map<String, String> parameters, @Nullable JsonBody body, Stream<String> lines) {}

    private void demandKnown(Endpoint endpoint) throws ApiProblem {
        List<String> wanted =
                endpoint.input().query().stream().map(Field::name).sorted().toList();
        for (String name : parameters.keySet()) {
            if (!wanted.contains(name)) {
                throw new ApiProblem(
                        ApiCode.INVALID,
                        "Unknown parameter " + JsonBody.shown(name) + ". "
                                + (wanted.isEmpty() ? "None is" : "Known here are " + String.join(", ", wanted))
                                + (wanted.isEmpty() ? " known here." : ".") + " Nothing was done.");
            }
        }
        if (body != null) {
            body.demandOnly(endpoint.input().body().stream().map(Field::name).collect(Collectors.toSet()));
        }
    }

    /** Marks that an endpoint need not read these: its request decides which it reads. */
    void demandAllRead() {
        Set<String> unread = new HashSet<>(known);
        unread.removeAll(read);
        if (!unread.isEmpty()) {
            throw new IllegalStateException("The table of endpoints has inputs that are not read: " + unread);
        }
    }

    TenantSight sight() {
        return sight;
    }

    Stream<String> lines(String... fields) {
        read.addAll(List.of(fields));
        return lines;
    }

    /** The only variable part of the path. */
    String value() {
        return values.get(0);
    }

    private void reading(String name) {
        if (!known.contains(name)) {
            throw new IllegalStateException("The table of endpoints does not have " + name);
        }
        read.add(name);
    }

    private JsonBody body() throws ApiProblem {
        if (body == null) {
            throw new ApiProblem(ApiCode.BODY_MALFORMED, "The request has no body. Nothing was done.");
        }
        return body;
    }

    @Nullable
    String text(String name) throws ApiProblem {
        reading(name);
        return body == null ? parameters.get(name) : body.text(name);
    }

    String demandText(String name) throws ApiProblem {
        String text = text(name);
        if (text == null) {
            throw invalid(name, "is missing");
        }
        return text;
    }

    boolean flag(String name) throws ApiProblem {
        reading(name);
        if (body != null) {
            return Boolean.TRUE.equals(body.bool(name));
        }
        String text = parameters.getOrDefault(name, "false");
        if (!text.equals("true") && !text.equals("false")) {
            throw invalid(name, "must be true or false");
        }
        return text.equals("true");
    }

    int number(String name, int usual, int least, int most) throws ApiProblem {
        reading(name);
        if (body != null) {
            return body.number(name, usual, least, most);
        }
        String text = parameters.get(name);
        if (text == null) {
            return usual;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Falls through: it is no number of this size.
        }
        throw invalid(name, "must be a whole number from " + least + " to " + most);
    }

    /** How many of a list; 50 if left out. */
    int limit() throws ApiProblem {
        return number("limit", 50, 1, 200);
    }

    Optional<Duration> span(String name) throws ApiProblem {
        String text = text(name);
        if (text == null) {
            return Optional.empty();
        }
        Matcher matcher = SPAN.matcher(text);
        if (!matcher.matches()) {
            throw invalid(name, "must be a number and a unit (ms, s, m, h, d), as in 90s or 7d");
        }
        long amount = Long.parseLong(matcher.group(1));
        return Optional.of(
                switch (matcher.group(2)) {
                    case "ms" -> Duration.ofMillis(amount);
                    case "s" -> Duration.ofSeconds(amount);
                    case "m" -> Duration.ofMinutes(amount);
                    case "h" -> Duration.ofHours(amount);
                    default -> Duration.ofDays(Math.min(amount, 100_000));
                });
    }

    /** In milliseconds. */
    long time(String name, long usual) throws ApiProblem {
        String text = text(name);
        if (text == null) {
            return usual;
        }
        try {
            return Instant.parse(text).toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw invalid(name, "must be a time in UTC, as in 2030-01-31T12:00:00Z");
        }
    }

    /** The tenant to which the request is limited: the one that is named, or the person's own; null for all. */
    @Nullable
    String tenant() throws ApiProblem {
        return sight.limit(text("tenant"));
    }

    /** The name of an operation or channel; null where none is given. */
    @Nullable
    String operation(String name) throws ApiProblem {
        String text = text(name);
        return text == null
                ? null
                : Operation.leased(text, Object.class, Object.class).name();
    }

    /** One of the constants, by its name in any case. */
    <E extends Enum<E>> Optional<E> constant(String name, Class<E> type) throws ApiProblem {
        String text = text(name);
        return text == null ? Optional.empty() : Optional.of(constant(name, text, type));
    }

    static <E extends Enum<E>> E constant(String name, String text, Class<E> type) throws ApiProblem {
        for (E each : type.getEnumConstants()) {
            if (each.name().equalsIgnoreCase(text)) {
                return each;
            }
        }
        throw invalid(
                name,
                "must be one of "
                        + Stream.of(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", ")));
    }

    /** Who acts, and why: the name is the person's, whatever the request says. */
    Warrant warrant() throws ApiProblem {
        body();
        String reason = text("reason");
        if (reason == null || reason.isBlank()) {
            throw invalid("reason", "is missing: say why, for the audit");
        }
        return new Warrant(sight.person().actor(), reason);
    }

    static ApiProblem invalid(String name, String why) {
        return new ApiProblem(ApiCode.INVALID, "\"" + name + "\" " + why + ". Nothing was done.");
    }

    /** A text that goes into a query. */
    static String demandPlain(String what, String text) {
        SemelException.Invalid.unlessText(what, text, 255);
        return text;
    }
}
