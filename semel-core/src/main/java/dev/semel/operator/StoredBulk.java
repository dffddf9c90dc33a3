package dev.semel.operator;

import dev.semel.operator.Replays.Bulk;
import dev.semel.operator.Replays.Counts;
import dev.semel.operator.Replays.Cut;
import dev.semel.operator.Replays.Filter;
import dev.semel.operator.Replays.ReplayPosition;
import dev.semel.store.State;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the parts of replays of many, those that an older version stored, too: it replayed dead letters only, in one pass, and kept the
 * fence, the number of matches and the number done in other places.
 */
final class StoredBulk {
    private static final JsonMapper JSON = JsonMapper.shared();

    private StoredBulk() {}

    static Bulk read(ObjectNode part) {
        if (!part.has("counts")) {
            convert(part);
        }
        return new Bulk(
                part.required("job").asString(),
                part.required("part").asInt(),
                JSON.treeToValue(part.required("filter"), Filter.class),
                part.required("perSecond").asInt(),
                JSON.treeToValue(part.required("at"), ReplayPosition.class),
                JSON.treeToValue(part.required("counts"), Counts.class));
    }

    private static void convert(ObjectNode older) {
        ObjectNode filter = older.required("filter").asObject();
        Cut cut = new Cut(
                filter.required("fence").asLong(), filter.required("matched").asLong(), UnresolvedMessages.Scope.DEAD);
        filter.set("cut", JSON.valueToTree(cut));
        older.required("at")
                .asObject()
                .put("state", State.FAILED_TERMINAL.name())
                .put("pass", 1);
        older.set("counts", JSON.valueToTree(new Counts(older.required("done").asLong(), 0)));
    }
}
