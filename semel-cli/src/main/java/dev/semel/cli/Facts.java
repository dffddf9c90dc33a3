package dev.semel.cli;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A JSON object that a ledger answered, be it a store or a server. */
record Facts(Map<String, Object> members) {
    boolean has(String name) {
        return members.get(name) != null;
    }

    @Nullable
    String find(String name) {
        Object value = members.get(name);
        return value == null ? null : value.toString();
    }

    /** Empty when it is not there. */
    String text(String name) {
        return Objects.requireNonNullElse(find(name), "");
    }

    /** Zero when it is not there. */
    long number(String name) {
        return members.get(name) instanceof Number number ? number.longValue() : 0;
    }

    double fraction(String name) {
        return members.get(name) instanceof Number number ? number.doubleValue() : 0;
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(members.get(name));
    }

    /** In milliseconds. */
    long time(String name) {
        return Instant.parse(text(name)).toEpochMilli();
    }

    /** Empty when it is not there. */
    @SuppressWarnings("unchecked")
    Facts object(String name) {
        return new Facts(members.get(name) instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of());
    }

    /** Empty when it is not there. */
    @SuppressWarnings("unchecked")
    List<Facts> list(String name) {
        return members.get(name) instanceof List<?> list
                ? list.stream()
                        .map(each -> new Facts((Map<String, Object>) each))
                        .toList()
                : List.of();
    }
}
