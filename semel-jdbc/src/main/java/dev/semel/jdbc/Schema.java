package dev.semel.jdbc;

import dev.semel.SemelException.Misconfigured;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The versioned DDL of an engine, as files in the jar: {@code postgresql/V1.sql} makes version 1 out of nothing,
 * {@code V2.sql} would make version 2 out of version 1. All engines have the same versions.
 */
record Schema(String engine) {
    /** What this code reads and writes. */
    static final int VERSION = 1;

    /** The statements that make the version out of the one before. */
    String script(int version) {
        String file = engine + "/V" + version + ".sql";
        try (InputStream in = Schema.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The jar of semel-jdbc lacks " + file + ". Build it again.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("The jar of semel-jdbc cannot be read at " + file + ".", e);
        }
    }

    /** Everything from nothing to {@link #VERSION}, to be read or installed by hand. */
    String ddl() {
        StringBuilder all = new StringBuilder();
        for (int version = 1; version <= VERSION; version++) {
            all.append(script(version));
        }
        return all.toString();
    }

    /** Refuses a schema that another Semel has made. */
    static void demandKnown(String store, int found) {
        if (found == VERSION) {
            return;
        }
        String fault = "its schema is version " + found + ", " + (found > VERSION ? "newer" : "older")
                + " than version " + VERSION
                + " that this Semel knows; nothing was changed. Use the Semel version that installed it";
        throw new Misconfigured(store, List.of(found > VERSION ? fault + ", or a newer one" : fault));
    }
}
