package dev.semel.spring;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Checks that annotated routes are protected by an Idempotency-Key filter. The starter has a filter only for servlets and only on
 * the engine that it opened; an application may have its own.
 */
final class RouteProtection {
    private static final String FILTER = "dev.semel.http.IdempotencyFilter";
    private static final String REACTIVE = "ReactiveWebApplicationContext";
    private static final String SERVLET = "jakarta.servlet.Filter";

    private final ApplicationContext context;
    private final boolean openedHere;

    /** @param openedHere false when the application has its own Semel bean */
    RouteProtection(ApplicationContext context, boolean openedHere) {
        this.context = context;
        this.openedHere = openedHere;
    }

    /** Why routes are not protected; null where they are, or where the application serves no requests. */
    @Nullable
    String missing() {
        boolean reactive = is(REACTIVE);
        if (!reactive && !is("WebApplicationContext") || !reactive && hasFilter()) {
            return null;
        }
        if (reactive) {
            return "the application uses WebFlux, but the Idempotency-Key filter works only with servlets: add a key to"
                    + " the annotation (key = ...), or use Spring MVC";
        }
        return openedHere
                ? "the Idempotency-Key filter is disabled: remove semel.http.enabled=false, or set header = OFF"
                : "the application has its own Semel bean but no Idempotency-Key filter: declare a filter bean with"
                        + " IdempotencyFilter.on(semel), or set header = OFF";
    }

    /** Settings of the filter that have no effect. A disabled filter may keep its settings. */
    List<String> unread() {
        if (missing() == null || !is(REACTIVE) && openedHere) {
            return List.of();
        }
        String set = new PropertyNames()
                .all().stream()
                        .filter(name -> name.startsWith(PropertyNames.HTTP + ".") && !name.contains("[]"))
                        .filter(name -> !name.equals("semel.http.enabled"))
                        .filter(this::isSet)
                        .collect(Collectors.joining(", "));
        return set.isEmpty()
                ? List.of()
                : List.of(set + ": no effect, because routes are not protected: "
                        + (is(REACTIVE)
                                ? "the application uses WebFlux, but the Idempotency-Key filter works only with"
                                        + " servlets"
                                : "the application has its own Semel bean but no Idempotency-Key filter")
                        + ". Remove these settings");
    }

    private boolean isSet(String name) {
        Environment environment = context.getEnvironment();
        return environment.containsProperty(name)
                || environment.containsProperty(name + "[0]")
                || environment.containsProperty(name + "[0].path");
    }

    private boolean hasFilter() {
        ClassLoader loader = context.getClassLoader();
        return ClassUtils.isPresent(SERVLET, loader) && has(context, ClassUtils.resolveClassName(FILTER, loader));
    }

    private static boolean has(ListableBeanFactory beans, Class<?> type) {
        return beans.getBeanNamesForType(type, true, false).length > 0;
    }

    /** By name, because the type for WebFlux is optional and its package differs between Spring Boot versions. */
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
