package dev.semel.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Observes the connections of every data source of the application. The type of the bean stays the same. A data source that cannot be
 * extended, or was created earlier, is not observed; then every unmarked failure counts as UNKNOWN.
 */
final class WatchedDataSources implements BeanPostProcessor, PriorityOrdered {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedDataSources.class);
    private static final Set<String> TAKING = Set.of("getConnection", "createConnectionBuilder");

    private final ConnectionWatch watch = new ConnectionWatch();
    private final ConfigurableListableBeanFactory beans;
    private final Set<String> watched = ConcurrentHashMap.newKeySet();
    private final Queue<ProxiedSource> shown = new ConcurrentLinkedQueue<>();

    /** A data source and its proxy, which has the same class and the same fields. */
    private record ProxiedSource(DataSource source, Object proxy) {
        /** Copies the fields, because Spring Boot reads the pool from a field of HikariDataSource. */
        void copyFields() {
            try {
                ReflectionUtils.shallowCopyFieldState(source, proxy);
            } catch (RuntimeException e) {
                LOG.debug("Reading the fields of a data source failed; its proxy has no fields.", e);
            }
        }
    }

    WatchedDataSources(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    ConnectionWatch watch() {
        return watch;
    }

    /** Runs before other processors, so that those that need a data source get an observed one. */
    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (!(bean instanceof DataSource source)) {
            return bean;
        }
        watched.add(name);
        Object proxy = watched(source, name);
        if (proxy == null) {
            unwatched(name, "its class cannot be extended; declare the bean as a DataSource");
            return bean;
        }
        return proxy;
    }

    /**
     * Called when the ledger and its pools are open.
     *
     * @param all the existing data sources by name, including those of parent contexts
     */
    void check(Map<String, DataSource> all) {
        for (ProxiedSource each = shown.poll(); each != null; each = shown.poll()) {
            each.copyFields();
        }
        all.keySet().stream()
                .filter(name -> !watched.contains(name))
                .forEach(name -> unwatched(name, "it was created before Semel, or in a parent context"));
    }

    private void unwatched(String name, String why) {
        LOG.warn(
                "data source {} cannot be watched: {}; requests at level MARKER that fail without a marked transaction"
                        + " become UNKNOWN and are not retried",
                name,
                why);
        watch.cannotTell("The data source " + name + " cannot be watched.");
    }

    private @Nullable Object watched(DataSource source, String name) {
        Class<?> type = source.getClass();
        boolean byInterfaces = !mayBeExtended(type);
        if (byInterfaces && !isWantedByInterface(name, type)) {
            return null;
        }
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(source);
        factory.setInterfaces(ClassUtils.getAllInterfacesForClass(type));
        factory.setProxyTargetClass(!byInterfaces);
        factory.addAdvice(telling(source, name));
        try {
            Object proxy = factory.getProxy(type.getClassLoader());
            if (!byInterfaces) {
                ProxiedSource pair = new ProxiedSource(source, proxy);
                pair.copyFields();
                shown.add(pair);
            }
            return proxy;
        } catch (AopConfigException e) {
            LOG.debug("wrapping the data source {} failed", name, e);
            return null;
        }
    }

    private MethodInterceptor telling(DataSource source, String name) {
        AtomicBoolean taken = new AtomicBoolean();
        return invocation -> {
            Object result = invocation.proceed();
            if (TAKING.contains(invocation.getMethod().getName())) {
                Runnable onWrite = watch.taken(source, name);
                boolean first = !taken.get() && taken.compareAndSet(false, true);
                if (first
                        && invocation instanceof ProxyMethodInvocation by
                        && source.getClass().isInstance(by.getProxy())) {
                    new ProxiedSource(source, by.getProxy()).copyFields();
                }
                if (onWrite != null && result instanceof Connection connection) {
                    return WatchedConnection.of(connection, onWrite);
                }
            }
            return result;
        };
    }

    private static boolean mayBeExtended(Class<?> type) {
        if (Modifier.isFinal(type.getModifiers()) || java.lang.reflect.Proxy.isProxyClass(type)) {
            return false;
        }
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            if (TAKING.contains(method.getName()) && Modifier.isFinal(method.getModifiers())) {
                return false;
            }
        }
        return true;
    }

    /** Whether the bean is declared by an interface, so that nobody injects it by its class. */
    private boolean isWantedByInterface(String name, Class<?> type) {
        if (java.lang.reflect.Proxy.isProxyClass(type)) {
            return true;
        }
        BeanDefinition definition = beans.containsBeanDefinition(name) ? beans.getMergedBeanDefinition(name) : null;
        Method factory = definition instanceof RootBeanDefinition root ? root.getResolvedFactoryMethod() : null;
        return factory != null && factory.getReturnType().isInterface();
    }
}
