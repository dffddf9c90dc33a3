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

/** Finds the data source of the ledger and its transaction manager. */
final class DataSources {
    private static final String DATA_SOURCE = "dataSource";

    private final ListableBeanFactory beans;
    private final SemelProperties.Expert said;

    DataSources(ListableBeanFactory beans, SemelProperties.Expert said) {
        this.beans = beans;
        this.said = said;
    }

    /**
     * @param bound the data source whose connections the manager binds to threads
     * @param plain the same data source without proxies that return bound connections
     */
    record LedgerSource(DataSource bound, DataSource plain, PlatformTransactionManager manager) {}

    /** @param faults receives the reason when there is none */
    @Nullable
    LedgerSource find(List<String> faults) {
        DataSource source = source(faults);
        if (source == null) {
            return null;
        }
        PlatformTransactionManager manager = manager(plain(source), faults);
        DataSource bound = manager == null ? null : managed(manager);
        return manager == null || bound == null ? null : new LedgerSource(bound, plain(source), manager);
    }

    private @Nullable DataSource source(List<String> faults) {
        List<String> names = List.of(beans.getBeanNamesForType(DataSource.class));
        if (said.dataSource() != null) {
            if (names.contains(said.dataSource())) {
                return beans.getBean(said.dataSource(), DataSource.class);
            }
            faults.add("semel.expert.data-source is \"" + said.dataSource() + "\", but no DataSource bean has that"
                    + " name; "
                    + (names.isEmpty() ? "there is no DataSource bean" : "known names: " + String.join(", ", names)));
            return null;
        }
        DataSource unique = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (unique == null) {
            faults.add(
                    names.isEmpty()
                            ? "the ledger needs a data source, and there is none: set spring.datasource.url (PostgreSQL"
                                    + " or SQLite), or give the ledger its own store, such as"
                                    + " semel.store=sqlite:semel.db"
                            : "there are several data sources (" + String.join(", ", names)
                                    + ") and none is primary: set semel.expert.data-source to the name of the one for"
                                    + " the ledger");
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
            faults.add("semel.expert.transaction-manager is \"" + named + "\", but "
                    + (beans.containsBean(named)
                            ? "that bean does not manage the ledger's data source"
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
                    + ") manage the ledger's data source and none is primary: set semel.expert.transaction-manager to"
                    + " one of them");
            return null;
        }
        if (names.isEmpty()) {
            faults.add(noManager());
            return null;
        }
        return beans.getBean(names.get(0), PlatformTransactionManager.class);
    }

    /** Semel does not create a manager: the application's transactions would silently not join its transactions. */
    private String noManager() {
        List<String> others = Arrays.stream(beans.getBeanNamesForType(PlatformTransactionManager.class))
                .map(name -> name + " (" + beans.getBean(name).getClass().getSimpleName() + ")")
                .toList();
        return "the data source of the ledger has no transaction manager; "
                + (others.isEmpty()
                        ? "there is no PlatformTransactionManager bean"
                        : "existing managers do not work on that data source alone: " + String.join(", ", others))
                + ". Declare a JdbcTransactionManager bean for it and use it for writes that commit with the ledger, or"
                + " give the ledger its own store with semel.store";
    }

    private static boolean manages(PlatformTransactionManager manager, DataSource plain) {
        DataSource managed = managed(manager);
        return managed != null && plain(managed) == plain;
    }

    /** The managers of JDBC, JPA and Hibernate have it as a property. */
    private static @Nullable DataSource managed(PlatformTransactionManager manager) {
        var properties = PropertyAccessorFactory.forBeanPropertyAccess(manager);
        return properties.isReadableProperty(DATA_SOURCE)
                        && properties.getPropertyValue(DATA_SOURCE) instanceof DataSource source
                ? source
                : null;
    }

    /** Unwraps Spring's proxies, whose connections may be bound to the transaction of the thread. */
    private static DataSource plain(DataSource source) {
        DataSource plain = source;
        for (DataSource next = next(plain); next != null; next = next(plain)) {
            plain = next;
        }
        return plain;
    }

    /** The existing beans of the context and its parents, without creating any. */
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

    /** A data source and the data sources that it wraps. */
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
