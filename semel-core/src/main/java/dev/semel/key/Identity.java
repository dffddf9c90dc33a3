package dev.semel.key;

import dev.semel.Key;
import dev.semel.Tenant;
import java.util.List;

/**
 * Under which ids a call's record may be found: its own, the one that is locked, and its neighbours' when the key carries a
 * time bucket.
 */
public record Identity(RecordId id, RecordId lock, List<RecordId> neighbours) {
    public Identity {
        neighbours = List.copyOf(neighbours);
    }

    /** The ids of a call: the same for the same tenant, operation and key, on every node and in every release. */
    public static Identity of(Tenant tenant, String operation, Key key) {
        RecordId id = Hashes.recordId(tenant.name(), operation, key.text());
        if (key.neighbours().isEmpty()) {
            return new Identity(id, id, List.of());
        }
        return new Identity(
                id,
                Hashes.recordId(tenant.name(), operation, key.lock()),
                key.neighbours().stream()
                        .map(text -> Hashes.recordId(tenant.name(), operation, text))
                        .toList());
    }

    /** For a record that is addressed by its id alone. */
    public static Identity of(RecordId id) {
        return new Identity(id, id, List.of());
    }

    /** The number of a lane. Two lanes in four billion times four billion share one. */
    public static long lane(Tenant tenant, String operation, String lane) {
        return Hashes.recordId("lane", tenant.name(), operation, lane).lockNumber();
    }
}
