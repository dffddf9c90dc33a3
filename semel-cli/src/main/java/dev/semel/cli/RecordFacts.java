package dev.semel.cli;

import dev.semel.store.State;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Records as commands print them. */
final class RecordFacts {
    private RecordFacts() {}

    /** The JSON of a record in a list: the fence is a number here. */
    static Map<String, Object> brief(Facts record) {
        Map<String, Object> facts = new LinkedHashMap<>(record.members());
        facts.put("fence", Long.parseLong(record.text("fence")));
        return facts;
    }

    /** The JSON of one record: payload and result as JSON, with secrets masked. */
    static Map<String, Object> full(Facts record) {
        Map<String, Object> facts = brief(record);
        facts.remove("explanation");
        facts.put("payload", seen(record.find("payload")));
        facts.put("result", seen(record.find("result")));
        return facts;
    }

    private static @Nullable Object seen(@Nullable String shown) {
        if (shown == null) {
            return null;
        }
        try {
            return JsonMapper.shared().readTree(shown);
        } catch (JacksonException e) {
            return shown;
        }
    }

    /** The failure in one line; empty without a failure. */
    static String why(Facts record) {
        Facts failure = record.object("failure");
        return record.has("failure") ? Screen.plain(failure.text("category") + ": " + failure.text("reason")) : "";
    }

    static State state(Facts record) {
        return State.valueOf(record.text("state"));
    }

    /** The first digits of its id, as tables show it. */
    static String prefix(Facts record) {
        return prefix(record.text("id"));
    }

    static String prefix(String id) {
        return id.substring(0, 12);
    }
}
