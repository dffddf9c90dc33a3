package dev.semel.store;

import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a record when it is made, and never changes.
 *
 * @param trail how the request that made it can be followed
 * @param parent the record of which this is a step
 */
public record Header(
        String tenant,
        String operation,
        String key,
        Fingerprint fingerprint,
        Trail trail,
        @Nullable RecordId parent) {

    /**
     * How the request that made a record can be followed.
     *
     * @param origin who asked, as a JSON object of bounded length without secrets; absent when nothing was said
     */
    public record Trail(String correlationId, @Nullable String origin) {}

    /** Of a record that says nothing about who asked. */
    public Header(
            String tenant,
            String operation,
            String key,
            Fingerprint fingerprint,
            String correlationId,
            @Nullable RecordId parent) {
        this(tenant, operation, key, fingerprint, new Trail(correlationId, null), parent);
    }

    /** By which the request is found in logs and traces; never absent. */
    public String correlationId() {
        return trail.correlationId;
    }

    /** Who asked, as {@link Trail#origin}; absent when nothing was said. */
    public @Nullable String origin() {
        return trail.origin;
    }
}
