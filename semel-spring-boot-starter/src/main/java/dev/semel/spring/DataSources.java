package dev.semel.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.PropertyAccessorFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;

/** Finds the data source that holds the ledger, and who manages its transactions. */
final class DataSources {
    private static final String DATA_SOURCE = "dataSource";

    private final ListableBeanFactory beans;
    private final SemelProperties.Expert said;

    DataSources(ListableBeanFactory beans, SemelProperties.Expert said) {
        this.beans = beans;
        this.said = said;
    }

    /**
     * @param bound whose connections the manager binds to threads
     * @param plain the same, without anything that would hand out bound connections
     */
    record Found(DataSource bound, DataSource plain, PlatformTransactionManager manager) {}

    /** @param faults is told why there is none */
    @Nullable
    Found find(List<String> faults) {
        DataSource source = source(faults);
        if (source == null) {
            return null;
        }
        PlatformTransactionManager manager = manager(plain(source), faults);
        DataSource bound = manager == null ? null : managed(manager);
        return manager == null || bound == null ? null : new Found(bound, plain(source), manager);
    }

    private @Nullable DataSource source(List<String> faults) {
        List<String> names = List.of(beans.getBeanNamesForType(DataSource.class));
        if (said.dataSource() != null) {
            if (names.contains(said.dataSource())) {
                return beans.getBean(said.dataSource(), DataSource.class);
            }
            faults.add("semel.expert.data-source is \"" + said.dataSource() + "\", and no data source has that name; "
                    + (names.isEmpty() ? "there is none at all" : "there are " + String.join(", ", names)));
            return null;
        }
        DataSource unique = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (unique == null) {
            faults.add(
                    names.isEmpty()
                            ? "there is no data source to keep the ledger in: set spring.datasource.url (PostgreSQL or"
                                    + " SQLite), or give the ledger a store of its own, such as semel.store=sqlite:semel.db"
                            : "there are several data sources (" + String.join(", ", names)
                                    + ") and none is primary: name"
                                    + " the one that holds the ledger with semel.expert.data-source");
        }
        return unique;
    }

    private @Nullable PlatformTransactionManager manager(DataSource plain, List<String> faults) {
        List<String> names = Arrays.stream(beans.getBeanNamesForType(PlatformTransactionManager.class))
                .filter(name -> manages(beans.getBean(name, PlatformTransactionManager.class), plain))
                .toList();
        String named = said.transactionManager();
        if (named != null) {
            if (names.contains(named)) {
                return beans.getBean(named, PlatformTransactionManager.class);
            }
            faults.add("semel.expert.transaction-manager is \"" + named + "\", and "
                    + (beans.containsBean(named)
                            ? "that does not manage the ledger's data source"
                            : "no transaction manager has that name"));
            return null;
        }
        PlatformTransactionManager usual =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        if (usual != null && manages(usual, plain)) {
            return usual;
        }
        if (names.size() > 1) {
            faults.add("several transaction managers (" + String.join(", ", new ArrayList<>(names))
                    + ") manage the ledger's data source and none is primary: name one with"
                    + " semel.expert.transaction-manager");
            return null;
        }
        if (names.isEmpty()) {
            faults.add(noManager());
            return null;
        }
        return beans.getBean(names.get(0), PlatformTransactionManager.class);
    }

    /** One that is made here would begin transactions that the application's own do not join, and nobody would notice. */
    private String noManager() {
        List<String> others = Arrays.stream(beans.getBeanNamesForType(PlatformTransactionManager.class))
                .map(name -> name + " (" + beans.getBean(name).getClass().getSimpleName() + ")")
                .toList();
        return "no transaction manager manages the data source that holds the ledger; "
                + (others.isEmpty()
                        ? "there is none at all"
                        : "there are " + String.join(", ", others) + ", of which none works on that data source alone")
                + ": declare a JdbcTransactionManager bean for it and use it for what is to commit with the ledger, or give the"
                + " ledger a store of its own with semel.store";
    }

    private static boolean manages(PlatformTransactionManager manager, DataSource plain) {
        DataSource managed = managed(manager);
        return managed != null && plain(managed) == plain;
    }

    /** Those of JDBC, JPA and Hibernate all have it as a property. */
    private static @Nullable DataSource managed(PlatformTransactionManager manager) {
        var properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty(DATA_SOURCE)
                        && properties.getPropertyValue(DATA_SOURCE) instanceof DataSource source
                ? source
                : null;
    }

    /** What a proxy of Spring's hands out may be bound to the thread's transaction. */
    private static DataSource plain(DataSource source) {
        DataSource plain = source;
        for (DataSource next = next(plain); next != null; next = next(plain)) {
            plain = next;
        }
        return plain;
    }

    /** Those that there are by now, in the context and its parents; what is made later is not made for this. */
    static Map<String, DataSource> existing(ApplicationContext context) {
        Map<String, DataSource> found = new HashMap<>();
        for (ApplicationContext each = context; each != null; each = each.getParent()) {
            if (each.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory factory) {
                for (String name : factory.getBeanNamesForType(DataSource.class, true, false)) {
                    if (factory.getSingleton(name) instanceof DataSource source) {
                        found.putIfAbsent(name, source);
                    }
                }
            }
        }
        return found;
    }

    /** A data source and all that it hands on to. */
    static Set<DataSource> chain(DataSource source) {
        Set<DataSource> chain = Collections.newSetFromMap(new IdentityHashMap<>());
        for (DataSource each = source; each != null; each = next(each)) {
            chain.add(each);
        }
        return chain;
    }

    private static @Nullable DataSource next(DataSource source) {
        if (AopUtils.isAopProxy(source)) {
            return AopProxyUtils.getSingletonTarget(source) instanceof DataSource target ? target : null;
        }
        return source instanceof DelegatingDataSource proxy ? proxy.getTargetDataSource() : null;
    }
}
