package dev.semel.console.rest;

import dev.semel.http.shared.HeaderToken;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.NullNode;

/** The fields of a JSON object. Fields that nobody asked for are an error, see {@link #demandNoOther}. */
public final class JsonBody {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");
    private static final Pattern RECORD = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern FENCE = Pattern.compile("[1-9][0-9]{0,18}");

    private final JsonNode object;
    private final Set<String> asked = new HashSet<>();

    public JsonBody(JsonNode object) {
        this.object = object;
    }

    private @Nullable JsonNode find(String field) {
        asked.add(field);
        JsonNode value = object.get(field);
        return value == null || value.isNull() ? null : value;
    }

    /** Any JSON value; null where there is none. */
    public JsonNode value(String field) {
        asked.add(field);
        JsonNode value = object.get(field);
        return value == null ? NullNode.getInstance() : value;
    }

    /** A text, if the field is there. */
    public @Nullable String text(String field) throws ApiProblem {
        JsonNode value = find(field);
        if (value != null && !value.isString()) {
            throw invalid(field, "must be a string");
        }
        return value == null ? null : value.stringValue();
    }

    /** 1 to 128 visible ASCII characters. */
    public @Nullable String token(String field) throws ApiProblem {
        String text = text(field);
        if (text != null && !HeaderToken.isValid(text)) {
            throw invalid(field, "must have 1 to 128 visible ASCII characters");
        }
        return text;
    }

    /** A text that must be there. */
    public String demandText(String field) throws ApiProblem {
        String text = text(field);
        if (text == null) {
            throw invalid(field, "is missing");
        }
        return text;
    }

    /** 1 to 128 visible ASCII characters. */
    public String key() throws ApiProblem {
        String key = text("key");
        if (key == null) {
            throw new ApiProblem(ApiCode.KEY_REQUIRED, "The field \"key\" is missing. Nothing was done.");
        }
        return demandKey(key);
    }

    /** @throws ApiProblem when it has not 1 to 128 visible ASCII characters */
    public static String demandKey(String key) throws ApiProblem {
        if (!HeaderToken.isValid(key)) {
            throw new ApiProblem(
                    ApiCode.KEY_INVALID, "The key must have 1 to 128 visible ASCII characters. Nothing was done.");
        }
        return key;
    }

    /** 64 hexadecimal digits. */
    public String record() throws ApiProblem {
        String record = demandText("record");
        if (!RECORD.matcher(record).matches()) {
            throw invalid("record", "must have 64 hexadecimal digits, as the answer to the begin or the claim has it");
        }
        return record;
    }

    /** A string, because JavaScript and others lose digits of large numbers. */
    public long fence(String field) throws ApiProblem {
        String fence = demandText(field);
        try {
            if (FENCE.matcher(fence).matches()) {
                return Long.parseLong(fence);
            }
        } catch (NumberFormatException e) {
            // Falls through: it is larger than any fence.
        }
        throw invalid(field, "must be a string of digits, as the answer to the begin or the claim has it");
    }

    /** True or false, if the field is there. */
    public @Nullable Boolean bool(String field) throws ApiProblem {
        JsonNode value = find(field);
        if (value != null && !value.isBoolean()) {
            throw invalid(field, "must be true or false");
        }
        return value == null ? null : value.booleanValue();
    }

    /** A whole number between the two. */
    public int number(String field, int usual, int least, int most) throws ApiProblem {
        JsonNode value = find(field);
        if (value == null) {
            return usual;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToInt()
                || value.intValue() < least
                || value.intValue() > most) {
            throw invalid(field, "must be a whole number from " + least + " to " + most);
        }
        return value.intValue();
    }

    /** Such as {@code 250ms}, {@code 30s}, {@code 5m}, {@code 1h} or {@code 2d}. */
    public @Nullable Duration duration(String field, Duration least, Duration most) throws ApiProblem {
        String text = text(field);
        if (text == null) {
            return null;
        }
        Matcher matcher = DURATION.matcher(text);
        Duration value = matcher.matches() ? of(Long.parseLong(matcher.group(1)), matcher.group(2)) : null;
        if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw invalid(
                    field,
                    "must be a number and a unit (ms, s, m, h, d), as in 30s, from " + text(least) + " to "
                            + text(most));
        }
        return value;
    }

    private static Duration of(long amount, String unit) {
        return switch (unit) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    private static String text(Duration duration) {
        return duration.toMillisPart() != 0 ? duration.toMillis() + "ms" : duration.toSeconds() + "s";
    }

    /** Such as {@code 2030-01-31T12:00:00Z}. */
    public @Nullable Instant instant(String field) throws ApiProblem {
        String text = text(field);
        if (text == null) {
            return null;
        }
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw invalid(field, "must be a time in UTC, as in 2030-01-31T12:00:00Z");
        }
    }

    /** The objects of an array. */
    public List<JsonBody> objects(String field, int most) throws ApiProblem {
        JsonNode value = find(field);
        boolean usable = value != null && value.isArray() && !value.isEmpty() && value.size() <= most;
        if (!usable || !value.values().stream().allMatch(JsonNode::isObject)) {
            throw invalid(field, "must be an array of 1 to " + most + " objects");
        }
        return value.values().stream().map(JsonBody::new).toList();
    }

    /** To be called when all fields were asked for. */
    public void demandNoOther() throws ApiProblem {
        demandOnly(asked);
    }

    /** @throws ApiProblem when there is a field that is not one of these */
    public void demandOnly(Set<String> known) throws ApiProblem {
        List<String> unknown = object.propertyNames().stream()
                .filter(each -> !known.contains(each))
                .toList();
        if (!unknown.isEmpty()) {
            String named = unknown.stream().limit(3).map(JsonBody::shown).collect(Collectors.joining(", "));
            throw new ApiProblem(
                    ApiCode.INVALID,
                    "Unknown field " + named + ". Known here are "
                            + known.stream().sorted().collect(Collectors.joining(", ")) + ". Nothing was done.");
        }
    }

    /** A name that a client sent: without control characters, and short. */
    public static String shown(String name) {
        String printable = name.replaceAll("[^\\x20-\\x7e]", "?");
        return "\"" + (printable.length() > 40 ? printable.substring(0, 40) + "..." : printable) + "\"";
    }

    /** A problem with a field. */
    public static ApiProblem invalid(String field, String why) {
        return new ApiProblem(ApiCode.INVALID, "The field \"" + field + "\" " + why + ". Nothing was done.");
    }
}
