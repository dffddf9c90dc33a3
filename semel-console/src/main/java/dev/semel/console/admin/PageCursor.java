package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.console.rest.ApiProblem;
import dev.semel.key.RecordId;
import dev.semel.store.AuditRow;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Where a list continues, as clients have it: opaque text. It holds a position and nothing else, so that a forged one shows no more than
 * the list does.
 */
final class PageCursor {
    private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_-]{1,300}");

    private PageCursor() {}

    /** Behind a record in the list of a state. */
    record RecordPosition(State state, RecordFilter.Cursor behind) {}

    static String of(RecordPosition position) {
        return encoded(
                "r",
                position.state.code(),
                position.behind.at(),
                position.behind.id().hex());
    }

    static RecordPosition record(String cursor) throws ApiProblem {
        String[] parts = decoded(cursor, "r", 4);
        try {
            return new RecordPosition(
                    State.of(Integer.parseInt(parts[1])),
                    new RecordFilter.Cursor(Long.parseLong(parts[2]), RecordId.ofHex(parts[3])));
        } catch (IllegalArgumentException | SemelException.Invalid e) {
            throw invalid();
        }
    }

    static String of(AuditRow.Position position) {
        return encoded("a", position.tx(), position.seq());
    }

    static AuditRow.Position event(String cursor) throws ApiProblem {
        String[] parts = decoded(cursor, "a", 3);
        try {
            return new AuditRow.Position(Long.parseLong(parts[1]), Long.parseLong(parts[2]));
        } catch (NumberFormatException e) {
            throw invalid();
        }
    }

    private static String encoded(Object... parts) {
        StringBuilder text = new StringBuilder();
        for (Object part : parts) {
            text.append(text.isEmpty() ? "" : ",").append(part);
        }
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String[] decoded(String cursor, String kind, int length) throws ApiProblem {
        if (!FORM.matcher(cursor).matches()) {
            throw invalid();
        }
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1).split(",");
            if (parts.length == length && parts[0].equals(kind)) {
                return parts;
            }
        } catch (IllegalArgumentException e) {
            // Falls through.
        }
        throw invalid();
    }

    private static ApiProblem invalid() {
        return AdminCall.invalid("cursor", "is not one that this list gave: use \"next\" of the page before as it is");
    }
}
