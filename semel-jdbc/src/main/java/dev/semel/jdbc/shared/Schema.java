package dev.semel.jdbc.shared;

import dev.semel.SemelException.Misconfigured;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The versioned DDL of an engine, as files beside its classes: {@code V1.sql} makes version 1 out of nothing, {@code
 * V2.sql} makes version 2 out of version 1. All engines have the same versions.
 *
 * <p>Every version only adds to the one before, so that a node of the version before, which is already running, keeps
 * working while and after the schema is upgraded. One that starts afterwards is rejected.
 *
 * @param version the version that this code reads and writes
 * @param scripts the statements that make a version out of the one before
 */
public record Schema(String engine, int version, IntFunction<String> scripts) {
    /** Of all engines. */
    public static final int VERSION = 5;

    /** @param beside a class of the engine's package, where its files are */
    public static Schema of(String engine, Class<?> beside) {
        return new Schema(engine, VERSION, version -> resource(beside, "V" + version + ".sql"));
    }

    private static String resource(Class<?> beside, String file) {
        String path = beside.getPackageName().replace('.', '/') + "/" + file;
        try (InputStream in = beside.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The jar of semel-jdbc lacks " + path + ". Build it again.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + path + " from the jar of semel-jdbc.", e);
        }
    }

    public String script(int to) {
        return scripts.apply(to);
    }

    /** Everything that leads from an installed version to this one; 0 for nothing installed. */
    public String ddl(int from) {
        StringBuilder all = new StringBuilder();
        for (int next = Math.max(from, 0) + 1; next <= version; next++) {
            all.append(script(next));
        }
        return all.toString();
    }

    /** Refuses a schema that another Semel has made and that cannot be upgraded from. */
    public void demandUpgradable(String store, int found) {
        if (found < 1 || found > version) {
            refuse(store, found);
        }
    }

    /** Refuses an older schema where none may be upgraded. */
    public void demandCurrent(String store, int found) {
        demandUpgradable(store, found);
        if (found < version) {
            throw new Misconfigured(
                    store,
                    List.of("its schema is version " + found + ", older than version " + version
                            + " that this Semel needs, and it may not be upgraded from here; nothing was changed. Start the"
                            + " application that owns the ledger with this version of Semel, or run what \"semel schema"
                            + " print --engine " + engine + " --from " + found + "\" prints, in one transaction"));
        }
    }

    private void refuse(String store, int found) {
        String fault = "its schema is version " + found + ", " + (found > version ? "newer" : "older")
                + " than version " + version
                + " that this Semel knows; nothing was changed. Use the Semel version that installed it";
        throw new Misconfigured(store, List.of(found > version ? fault + ", or a newer one" : fault));
    }
}
