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
 * Settings of Semel, in three tiers: basic ({@code store}, {@code schema}), tuning, and expert. All of them are checked together
 * when the context starts, and all faults are reported.
 *
 * @param enabled Whether Semel is configured.
 * @param store URL of a separate store for the ledger, such as sqlite:semel.db or postgresql://user@host/db. By default the
 *     ledger is in the application's data source, which atomic operations need.
 * @param schema How the ledger's tables are checked or installed when the application starts.
 * @param tuning Settings that are often changed.
 * @param expert Settings that few applications need.
 * @param policy Policies by name, as semel.policy.NAME.SETTING. They add to the built-in policies or change them.
 */
@ConfigurationProperties("semel")
record SemelProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String store,
        @DefaultValue("install") Schema schema,
        @DefaultValue Tuning tuning,
        @DefaultValue Expert expert,
        @DefaultValue Map<String, String> policy) {

    /** How the ledger's tables are checked or installed at the start. */
    enum Schema {
        /** Creates missing tables and upgrades old ones. */
        INSTALL,
        /** Requires the tables: another tool installs them, such as Flyway. */
        VALIDATE
    }

    /** Which outcomes and replays are written to the audit. */
    enum Audit {
        /** One event for each change of outcome; replays and conflicts are only counted. */
        OUTCOMES,
        /** Also one event for each replay and conflict, written before the answer is returned. */
        EACH,
        /** Only the actions of operators. */
        OFF
    }

    /**
     * @param patience How long a call of an @Idempotent method waits for a running call with the same key, unless the method sets it.
     * @param drain How long channel handlers may take to end when the context is closed.
     * @param concurrency Concurrent handlers of one channel on this node, unless the channel sets it.
     * @param localCache Number of small results that are cached in memory, so that their replays need no transaction. 0 for none.
     * @param largestValue Largest payload and largest result.
     * @param mode Mode of this node. The stricter of it and the mode for all nodes applies. By default the environment variable
     *     SEMEL_MODE, or live without it.
     */
    record Tuning(
            @DefaultValue("10s") Duration patience,
            @DefaultValue("20s") Duration drain,
            @DefaultValue("16") int concurrency,
            @DefaultValue("0") int localCache,
            @DefaultValue("1MB") DataSize largestValue,
            @Nullable Mode mode) {}

    /**
     * @param dataSource Name of the data source of the ledger, where there are several and none is primary.
     * @param transactionManager Name of the transaction manager of that data source, where it is ambiguous.
     * @param audit Which outcomes and replays are written to the audit.
     * @param metricsByTenant Whether metrics are tagged with the tenant. Use it only with few tenants.
     * @param flyway Whether Flyway, where it is present, installs the ledger's tables. Set false where it migrates another database.
     * @param reconcilerTimeout How long a reconciler may take for one record. Then it is interrupted, the record stays UNKNOWN,
     *     and the reconciler is called again later.
     */
    record Expert(
            @Nullable String dataSource,
            @Nullable String transactionManager,
            @DefaultValue("outcomes") Audit audit,
            @DefaultValue("false") boolean metricsByTenant,
            @DefaultValue("true") boolean flyway,
            @DefaultValue("30s") Duration reconcilerTimeout) {}

    /** The settings for the policy catalogue. Of two spellings of one setting the first counts, as with any property. */
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
