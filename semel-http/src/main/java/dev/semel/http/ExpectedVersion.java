package dev.semel.http;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version of a resource that a caller expects: from {@code If-Match}, or from a version or an {@code updated_at} in the
 * body. {@link #demand} compares it with the current version; a mismatch is a 409 {@code concurrency.version_mismatch}. Compare
 * in the transaction that changes the resource, under its lock or in its {@code WHERE}.
 */
public final class ExpectedVersion {
    private static final ExpectedVersion ANY = new ExpectedVersion(null);
    private static final Pattern TAG = Pattern.compile("(W/)?\"([^\"]*)\"");

    private final @Nullable List<String> tags;

    private ExpectedVersion(@Nullable List<String> tags) {
        this.tags = tags;
    }

    /** From the header {@code If-Match}; any version when there is none, or it is {@code *}. */
    public static ExpectedVersion of(HttpServletRequest request) {
        var headers = Collections.list(request.getHeaders("If-Match"));
        if (headers.isEmpty()
                || headers.stream().anyMatch(header -> header.strip().equals("*"))) {
            return ANY;
        }
        List<String> tags = new ArrayList<>();
        for (String header : headers) {
            Matcher matcher = TAG.matcher(header);
            while (matcher.find()) {
                // A weak tag never matches: it does not promise equal bytes.
                if (matcher.group(1) == null) {
                    tags.add(matcher.group(2));
                }
            }
        }
        return new ExpectedVersion(List.copyOf(tags));
    }

    /** From a version in the body; any version when it is absent. */
    public static ExpectedVersion of(@Nullable Long version) {
        return version == null ? ANY : new ExpectedVersion(List.of(Long.toString(version)));
    }

    /** From an {@code updated_at} in the body; any version when it is absent. */
    public static ExpectedVersion of(@Nullable Instant updatedAt) {
        return updatedAt == null ? ANY : new ExpectedVersion(List.of(updatedAt.toString()));
    }

    /** The ETag of a version, to be sent with the resource. */
    public static String etag(long version) {
        return "\"" + version + "\"";
    }

    /** The ETag of a time that only grows, to be sent with the resource. */
    public static String etag(Instant updatedAt) {
        return "\"" + updatedAt + "\"";
    }

    /** Whether the caller sent a version. */
    public boolean isStated() {
        return tags != null;
    }

    /** The version that the caller sent, if it is exactly one number. */
    @Nullable
    Long number() {
        if (tags == null || tags.size() != 1 || !tags.get(0).matches("[0-9]{1,18}")) {
            return null;
        }
        return Long.valueOf(tags.get(0));
    }

    /** @throws VersionMismatch when the resource has another version than the caller sent */
    public void demand(long current) {
        demand(Long.toString(current), tag -> tag.equals(Long.toString(current)));
    }

    /** @throws VersionMismatch when the resource was changed at another time than the caller sent */
    public void demand(Instant updatedAt) {
        demand(updatedAt.toString(), tag -> isAt(tag, updatedAt));
    }

    private void demand(String current, Predicate<String> same) {
        if (tags != null && tags.stream().noneMatch(same)) {
            throw new VersionMismatch("Version conflict: the resource is at version " + current
                    + ", not at the version that the request expects. Read it again, then resend the change.");
        }
    }

    private static boolean isAt(String tag, Instant updatedAt) {
        try {
            return OffsetDateTime.parse(tag).toInstant().equals(updatedAt);
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
