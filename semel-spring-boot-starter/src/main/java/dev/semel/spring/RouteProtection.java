package dev.semel.spring;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

/**
 * Whether the routes that are declared safe to repeat are: the filter is there only for servlets, and only on the engine that
 * the starter opened or for an application that has a filter of its own.
 */
final class RouteProtection {
    private static final String FILTER = "dev.semel.http.IdempotencyFilter";
    private static final String REACTIVE = "ReactiveWebApplicationContext";
    private static final String SERVLET = "jakarta.servlet.Filter";

    private final ApplicationContext context;
    private final boolean openedHere;

    /** @param openedHere false when the application has a Semel bean of its own */
    RouteProtection(ApplicationContext context, boolean openedHere) {
        this.context = context;
        this.openedHere = openedHere;
    }

    /** Why nothing protects a route; nothing where something does, or where the application serves no requests. */
    @Nullable
    String missing() {
        boolean reactive = is(REACTIVE);
        if (!reactive && !is("WebApplicationContext") || !reactive && hasFilter()) {
            return null;
        }
        if (reactive) {
            return "the application is one of WebFlux, and the Idempotency-Key filter is for servlets: give the method a key"
                    + " (key = ...) to run once by itself, or use Spring MVC";
        }
        return openedHere
                ? "there is no Idempotency-Key filter: remove semel.http.enabled=false, or say header = OFF"
                : "the Semel bean is the application's own, and no Idempotency-Key filter is on it: declare a bean made by"
                        + " IdempotencyFilter.on(semel), or say header = OFF";
    }

    /** Settings of the filter that nobody reads; a filter that was switched off keeps its settings. */
    List<String> unread() {
        if (missing() == null || !is(REACTIVE) && openedHere) {
            return List.of();
        }
        String set = new PropertyNames()
                .leaves().keySet().stream()
                        .filter(PropertyNames.HTTP::isAncestorOf)
                        .map(ConfigurationPropertyName::toString)
                        .filter(name -> !name.equals("semel.http.enabled"))
                        .filter(context.getEnvironment()::containsProperty)
                        .collect(Collectors.joining(", "));
        return set.isEmpty()
                ? List.of()
                : List.of(set + ": set, but nothing keeps requests from running twice: "
                        + (is(REACTIVE)
                                ? "the application is one of WebFlux, and the Idempotency-Key filter is for servlets"
                                : "the Semel bean is the application's own, and no Idempotency-Key filter is on it")
                        + ". Remove these settings");
    }

    private boolean hasFilter() {
        ClassLoader loader = context.getClassLoader();
        return ClassUtils.isPresent(SERVLET, loader) && has(context, ClassUtils.resolveClassName(FILTER, loader));
    }

    private static boolean has(ListableBeanFactory beans, Class<?> type) {
        return beans.getBeanNamesForType(type, true, false).length > 0;
    }

    /** By name, because the type for WebFlux has another package in each Spring Boot, and none need be there. */
    private boolean is(String simpleName) {
        for (Class<?> type = context.getClass(); type != null; type = type.getSuperclass()) {
            if (implementsOne(type, simpleName)) {
                return true;
            }
        }
        return false;
    }

    private static boolean implementsOne(Class<?> type, String simpleName) {
        return Arrays.stream(type.getInterfaces())
                .anyMatch(each -> each.getSimpleName().equals(simpleName) || implementsOne(each, simpleName));
    }
}
