package dev.semel.spring;

import dev.semel.Mode;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of Semel, in three tiers: what to decide ({@code store}, {@code schema}), what to tune, and what only few need. All
 * of them are checked together when the context starts, and every fault is named.
 *
 * @param enabled Whether anything is configured at all.
 * @param store URL of a store of the ledger's own, such as sqlite:semel.db or postgresql://user@host/db. Absent, the ledger is
 *     in the application's data source, which is what makes atomic operations possible.
 * @param schema What happens to the ledger's tables when the application starts.
 * @param tuning What is often changed.
 * @param expert What few need.
 * @param policy Policies by name, added to or changing those that ship, as semel.policy.NAME.SETTING.
 */
@ConfigurationProperties("semel")
record SemelProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @DefaultValue("install") Schema schema,
        @DefaultValue Tuning tuning,
        @DefaultValue Expert expert,
        @DefaultValue Map<String, String> policy) {

    /** What happens to the ledger's tables when the application starts. */
    enum Schema {
        /** They are made where they are missing, and brought up to date. */
        INSTALL,
        /** They must be there: somebody else installs them, such as Flyway. */
        VALIDATE
    }

    /** What is written about outcomes and replays. */
    enum Audit {
        /** An event for each change of outcome; replays and conflicts are counted. */
        OUTCOMES,
        /** Also an event for each replay and conflict, written before it is answered. */
        EACH,
        /** Operators' actions only. */
        OFF
    }

    /**
     * @param patience How long a call of an @Idempotent method waits for another run of the same record, unless it says.
     * @param drain How long handlers of channels may take to end when the context is closed.
     * @param concurrency Handlers of one channel at once on this node, unless the channel says.
     * @param localCache How many small results are kept in memory, so that their replays need no transaction. 0 for none.
     * @param largestValue The largest payload and the largest result.
     * @param mode This node's own mode. The stricter of it and the one that is set for all nodes applies. By default what the
     *     environment variable SEMEL_MODE says, and live without it.
     */
    record Tuning(
            @DefaultValue("10s") Duration patience,
            @DefaultValue("20s") Duration drain,
            @DefaultValue("16") int concurrency,
            @DefaultValue("0") int localCache,
            @DefaultValue("1MB") DataSize largestValue,
            @Nullable Mode mode) {}

    /**
     * @param dataSource Name of the data source that holds the ledger, where there are several and none is primary.
     * @param transactionManager Name of the transaction manager of that data source, where it cannot be told.
     * @param audit What is written about outcomes and replays.
     * @param metricsByTenant Whether metrics are tagged with the tenant. Only for few tenants.
     * @param flyway Whether Flyway, where it is there, makes the ledger's tables. Not where it migrates another database.
     * @param reconcilerTimeout How long a reconciler may take to answer about one record. Then it is interrupted, the record
     *     stays UNKNOWN, and the reconciler is asked again later.
     */
    record Expert(
            @Nullable String dataSource,
            @Nullable String transactionManager,
            @DefaultValue("outcomes") Audit audit,
            @DefaultValue("false") boolean metricsByTenant,
            @DefaultValue("true") boolean flyway,
            @DefaultValue("30s") Duration reconcilerTimeout) {}

    /** As the catalogue of policies reads them. Of two spellings of one setting the first counts, as with any property. */
    Map<String, String> policies() {
        Map<String, String> flat = new LinkedHashMap<>();
        Set<String> seen = new HashSet<>();
        policy.forEach((name, value) -> {
            if (seen.add(name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", ""))) {
                flat.put("semel.policy." + name, value);
            }
        });
        return flat;
    }
}
