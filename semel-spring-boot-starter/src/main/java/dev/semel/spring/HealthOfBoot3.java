package dev.semel.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * The health indicator for Spring Boot 3.5. This jar is compiled against Spring Boot 4, where the types have other names, so it
 * uses the older types by reflection.
 */
final class HealthOfBoot3 implements InvocationHandler {
    static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";
    static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    private static final Logger LOG = LoggerFactory.getLogger(HealthOfBoot3.class);
    private static final String BEAN = "semelHealthIndicator";

    private final LedgerStatus status;
    private final Class<?> health;

    private HealthOfBoot3(LedgerStatus status, ClassLoader loader) {
        this.status = status;
        this.health = ClassUtils.resolveClassName(HEALTH, loader);
    }

    /** Registers the indicator, unless it is disabled or the application has a bean of that name. */
    static class Registrar implements ImportBeanDefinitionRegistrar {
        private final Environment environment;
        private final BeanFactory beans;
        private final ClassLoader loader;

        Registrar(Environment environment, BeanFactory beans, ClassLoader loader) {
            this.environment = environment;
            this.beans = beans;
            this.loader = loader;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            boolean byDefault = environment.getProperty("management.health.defaults.enabled", Boolean.class, true);
            if (environment.getProperty("management.health.semel.enabled", Boolean.class, byDefault)
                    && !registry.containsBeanDefinition(BEAN)) {
                registry.registerBeanDefinition(BEAN, definition(ClassUtils.resolveClassName(INDICATOR, loader)));
            }
        }

        private <T> RootBeanDefinition definition(Class<T> type) {
            return new RootBeanDefinition(type, () -> {
                EngineOpener.OpenedEngine opened = beans.getBean(EngineOpener.OpenedEngine.class);
                LedgerStatus status =
                        new LedgerStatus(opened.store(), opened.engine().operator());
                return type.cast(
                        Proxy.newProxyInstance(loader, new Class<?>[] {type}, new HealthOfBoot3(status, loader)));
            });
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> BEAN;
            };
        }
        return method.isDefault() ? InvocationHandler.invokeDefault(proxy, method, arguments) : look();
    }

    private Object look() throws ReflectiveOperationException {
        Map<String, Object> details;
        try {
            details = status.details();
        } catch (RuntimeException e) {
            LOG.warn("health check failed: Semel's store is unavailable", e);
            return built(health.getMethod("down", Throwable.class).invoke(null, e));
        }
        Object up = health.getMethod("up").invoke(null);
        return built(up.getClass().getMethod("withDetails", Map.class).invoke(up, details));
    }

    private static Object built(Object builder) throws ReflectiveOperationException {
        return builder.getClass().getMethod("build").invoke(builder);
    }
}
