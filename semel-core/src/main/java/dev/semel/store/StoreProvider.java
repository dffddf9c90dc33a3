package dev.semel.store;

import dev.semel.SemelException;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Opens stores by URL or by the application's data source; found by {@link java.util.ServiceLoader}. */
public interface StoreProvider {
    /** The kind of store, as in {@code schema print --engine}: {@code memory}, {@code sqlite}, {@code postgresql}. */
    String engine();

    /** A URL to show in messages. */
    String example();

    /** The parameters that its URLs have, behind a question mark; none by default. */
    default List<Parameter> parameters() {
        return List.of();
    }

    /** Whether this kind of store opens the URL. Judges by its text alone and opens nothing. */
    boolean accepts(String url);

    /**
     * Opens the store; installs its schema where there is none and upgrades an older one, unless told not to, and refuses
     * one that is newer than the code.
     *
     * @throws SemelException.Misconfigured when it cannot serve, saying what to do
     */
    Store open(String url, Options options);

    /**
     * The database whose data sources this kind of store opens, by the name that it gives itself in
     * {@link java.sql.DatabaseMetaData#getDatabaseProductName}, such as {@code PostgreSQL}. Empty when it opens none.
     */
    default Optional<String> database() {
        return Optional.empty();
    }

    /**
     * The name that the database behind a data source gives itself, whichever it is. Asked only of kinds of store that open data
     * sources.
     *
     * @throws SemelException.StoreUnavailable when it cannot be reached
     */
    default String databaseOf(DataSource source) {
        throw new SemelException.Misconfigured("store", List.of(engine() + " opens no data sources"));
    }

    /**
     * As {@link #open(String, Options)}, in the database that a data source leads to, which is the one that {@link #database}
     * names. The data source hands out plain connections, and is not closed with the store.
     *
     * @throws SemelException.Misconfigured when it cannot serve, saying what to do
     * @throws SemelException.StoreUnavailable when it cannot be reached
     */
    default Store open(DataSource source, Options options) {
        throw new SemelException.Misconfigured("store", List.of(engine() + " opens no data sources"));
    }

    /** The schema as SQL, for those who install it themselves; empty when there is none. */
    default String ddl() {
        return ddl(0);
    }

    /**
     * The SQL that leads from an installed version of the schema to the one that this code needs; empty when there is none.
     *
     * @param from the installed version; 0 when nothing is installed
     */
    default String ddl(int from) {
        return "";
    }

    /**
     * A parameter of a URL.
     *
     * @param preset what holds when the URL does not have it
     * @param limits what may be given
     * @param meaning a sentence
     */
    record Parameter(String name, String preset, String limits, String meaning) {}

    /**
     * @param time in place of the store's own clock, for tests; absent to use the store's
     * @param adopt take over a store that was restored, instead of refusing it
     * @param create make the ledger where there is none and upgrade an older schema, instead of refusing both
     */
    record Options(@Nullable TimeSource time, boolean adopt, boolean create) {
        public static final Options DEFAULT = new Options(null, false);

        /** Looks at a ledger that is there; a mistyped URL does not make a new one. */
        public static final Options EXISTING = new Options(null, false, false);

        public Options(@Nullable TimeSource time, boolean adopt) {
            this(time, adopt, true);
        }
    }
}
