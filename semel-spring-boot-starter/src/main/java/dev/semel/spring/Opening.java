package dev.semel.spring;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
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

/** Opens the engine with the settings of the application, and names every fault of theirs before it opens anything. */
final class Opening {
    private final SemelProperties properties;
    private final DataSources sources;
    private final List<Policy> policies;
    private final Watch watch;
    private final boolean virtualThreads;
    private final List<String> faults = new ArrayList<>();

    /** @param policies beans of the application */
    Opening(
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
     * What was opened.
     *
     * @param semel the engine, as the application sees it
     * @param transactions absent when the ledger has a store of its own
     */
    record Opened(
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

    Opened open() {
        JsonCheck.fault().ifPresent(faults::add);
        checkTuning();
        checkStore();
        Map<String, Policy> added = policies();
        DataSources.Found found = properties.store() == null ? sources.find(faults) : null;
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
            Engine engine = settings(store, added).open();
            opened = true;
            return new Opened(
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

    private void checkTuning() {
        SemelProperties.Tuning tuning = properties.tuning();
        check(!tuning.patience().isNegative(), "patience", tuning.patience(), "use zero or more");
        check(!tuning.drain().isNegative(), "drain", tuning.drain(), "use zero or more");
        check(
                tuning.concurrency() > 0 && tuning.concurrency() <= 10_000,
                "concurrency",
                tuning.concurrency(),
                "use 1 to 10000 handlers");
        check(tuning.localCache() >= 0, "local-cache", tuning.localCache(), "use 0 for none, or more");
        long largest = tuning.largestValue().toBytes();
        check(
                largest > 0 && largest <= Integer.MAX_VALUE,
                "largest-value",
                tuning.largestValue(),
                "use 1 byte to 2047 MB");
    }

    private void check(boolean sound, String name, Object value, String instead) {
        if (!sound) {
            faults.add("semel.tuning." + name + " is " + value + ": " + instead);
        }
    }

    private void checkStore() {
        if (properties.store() == null) {
            return;
        }
        if (properties.expert().dataSource() != null) {
            faults.add(
                    "semel.store gives the ledger a store of its own, and semel.expert.data-source puts it into the data"
                            + " source \"" + properties.expert().dataSource() + "\": choose one");
        }
        if (properties.expert().transactionManager() != null) {
            faults.add(
                    "semel.store gives the ledger a store of its own, whose transactions no manager of Spring's begins:"
                            + " remove semel.expert.transaction-manager");
        }
    }

    /** By name, those of the configuration and the beans. */
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
                faults.add("policy " + policy.name() + " is given twice, as beans or by semel.policy." + policy.name()
                        + ": keep one of the two");
            }
        }
        return added;
    }

    private EngineSettings settings(Store store, Map<String, Policy> added) {
        EngineSettings settings = EngineSettings.on(store)
                .withLargestValue((int) properties.tuning().largestValue().toBytes());
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
        return virtualThreads ? settings : settings.withPlatformThreads();
    }
}
