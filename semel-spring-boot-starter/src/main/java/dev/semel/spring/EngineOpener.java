package dev.semel.spring;

import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.jdbc.ApplicationStore;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.watch.Watch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens the engine with the settings of the application, and reports all faults before it opens anything. */
final class EngineOpener {
    private final SemelProperties properties;
    private final DataSources sources;
    private final List<Policy> policies;
    private final Watch watch;
    private final boolean virtualThreads;
    private final List<String> faults = new ArrayList<>();

    /** @param policies the policy beans of the application */
    EngineOpener(
            SemelProperties properties,
            DataSources sources,
            List<Policy> policies,
            Watch watch,
            boolean virtualThreads) {
        this.properties = properties;
        this.sources = sources;
        this.policies = policies;
        this.watch = watch;
        this.virtualThreads = virtualThreads;
    }

    /**
     * The opened engine.
     *
     * @param semel the engine bean of the application
     * @param transactions null when the ledger has its own store
     */
    record OpenedEngine(
            Engine engine,
            SpringSemel semel,
            Store store,
            Catalogue catalogue,
            @Nullable SpringTransactions transactions,
            long largestValue)
            implements AutoCloseable {
        @Override
        public void close() {
            engine.close();
        }
    }

    OpenedEngine open() {
        JsonCheck.fault().ifPresent(faults::add);
        Map<String, Policy> added = policies();
        DataSources.LedgerSource found = properties.store() == null ? sources.find(faults) : null;
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's settings", faults);
        }
        SpringTransactions transactions = found == null ? null : new SpringTransactions(found.manager(), found.bound());
        StoreProvider.Options options =
                new StoreProvider.Options(null, false, properties.schema() == SemelProperties.Schema.INSTALL);
        Store store = found == null || transactions == null
                ? Stores.open(String.valueOf(properties.store()), options)
                : ApplicationStore.on(found.plain(), transactions, options);
        boolean opened = false;
        try {
            Engine engine = Engine.on(store, settings -> set(settings, added));
            opened = true;
            return new OpenedEngine(
                    engine,
                    new SpringSemel(engine, transactions),
                    store,
                    Catalogue.shipped().with(added.values()),
                    transactions,
                    properties.tuning().largestValue().toBytes());
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    /** The policies of the configuration and the beans, by name. */
    private Map<String, Policy> policies() {
        Map<String, Policy> added = new HashMap<>();
        Map<String, String> configured = properties.policies();
        try {
            Catalogue shipped = Catalogue.shipped();
            Catalogue with = shipped.withProperties(configured);
            for (String name : with.names()) {
                Policy policy = with.get(name);
                if (!policy.equals(shipped.find(name).orElse(null))) {
                    added.put(name, policy);
                }
            }
        } catch (SemelException.Misconfigured e) {
            faults.addAll(e.faults());
        }
        for (Policy policy : policies) {
            if (added.put(policy.name(), policy) != null) {
                faults.add("policy " + policy.name() + " is declared twice, as beans or by"
                        + " semel.policy." + policy.name()
                        + ": keep one of the two");
            }
        }
        return added;
    }

    private void set(Semel.Settings settings, Map<String, Policy> added) {
        settings.withLargestValue((int) properties.tuning().largestValue().toBytes())
                .withReconcilerTimeout(properties.expert().reconcilerTimeout());
        added.values().forEach(settings::withPolicy);
        if (properties.tuning().localCache() > 0) {
            settings.withLocalCache(properties.tuning().localCache());
        }
        if (properties.tuning().mode() != null) {
            settings.withMode(properties.tuning().mode());
        }
        switch (properties.expert().audit()) {
            case EACH -> settings.withAuditOfEachReplay();
            case OFF -> settings.withoutAudit();
            case OUTCOMES -> {}
        }
        if (watch != Watch.NONE) {
            settings.withWatch(watch);
        }
        if (!virtualThreads) {
            settings.withPlatformThreads();
        }
    }
}
