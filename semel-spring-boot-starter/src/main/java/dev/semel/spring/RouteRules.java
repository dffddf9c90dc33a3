package dev.semel.spring;

import dev.semel.http.Level;
import dev.semel.http.Rule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * The rule of a route: the default rule, changed by the entries of {@code semel.http.routes} that match the route, then by
 * {@link Idempotent} on the method or its class. An excluded route passes untouched.
 */
final class RouteRules {
    private static final String ROUTE = "org.springframework.web.bind.annotation.RequestMapping";
    private static final Set<String> ASYNCHRONOUS = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE");
    private static final RouteRule PASSES = new RouteRule(Rule.off(), false);

    private record RouteMethod(Class<?> type, Method method) {}

    /** @param handler null for a function */
    private record MappedRoute(
            String method, String path, @Nullable RouteMethod handler) {}

    /**
     * The rule of a route.
     *
     * @param rule null where the filter's settings apply
     * @param asynchronous whether these settings apply at the level PLAIN, because the method responds on another thread
     */
    record RouteRule(@Nullable Rule rule, boolean asynchronous) {}

    private final Rule usual;
    private final boolean onlyAnnotated;
    private final ConfiguredRoutes configured;
    private final Map<MappedRoute, RouteRule> known = new ConcurrentHashMap<>();

    RouteRules(Rule usual, boolean onlyAnnotated, ConfiguredRoutes configured) {
        this.usual = usual;
        this.onlyAnnotated = onlyAnnotated;
        this.configured = configured;
    }

    /** Whether the method, or the interface method, has a request mapping. */
    static boolean isRoute(Method method) {
        return MergedAnnotations.from(method, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY)
                .isPresent(ROUTE);
    }

    /** The default rule. */
    Rule usual() {
        return onlyAnnotated ? usual.withKey(Rule.KeyUse.OFF) : usual;
    }

    /** Whether the properties exclude a path. */
    boolean excludes(String path) {
        return configured.excludedBy(path) != null;
    }

    /** The rule of a controller's method. Cached: the lookup takes longer than finding the method itself. */
    RouteRule of(String httpMethod, String path, Class<?> type, Method method) {
        return cached(new MappedRoute(httpMethod, path, new RouteMethod(type, method)));
    }

    /** The rule of a function. */
    RouteRule of(String httpMethod, String path) {
        return cached(new MappedRoute(httpMethod, path, null));
    }

    private RouteRule cached(MappedRoute route) {
        // A client may send any other method, so those are not remembered.
        return METHODS.contains(route.method) ? known.computeIfAbsent(route, this::found) : PASSES;
    }

    private RouteRule found(MappedRoute route) {
        RouteMethod handler = route.handler;
        Idempotent said = handler == null ? null : said(handler.type, handler.method);
        boolean asynchronous = handler != null && isAsynchronous(handler.method);
        if (excludes(route.path)) {
            return new RouteRule(Rule.off(), asynchronous);
        }
        List<ConfiguredRoutes.Entry> entries = configured.matching(route.method, route.path);
        Set<String> labels = configured.labels(route.path);
        if (said == null && entries.isEmpty() && labels.isEmpty()) {
            return new RouteRule(null, asynchronous);
        }
        Rule rule = ConfiguredRoutes.changed(said == null ? usual() : usual, entries);
        if (said != null) {
            rule = changed(rule, said);
        }
        for (String label : labels) {
            rule = rule.withLabel(label);
        }
        // Its transaction is on another thread, where it cannot be marked.
        boolean plain = asynchronous && !overrides(said, "level");
        return new RouteRule(plain ? rule.withLevel(Level.PLAIN) : rule, asynchronous);
    }

    /** Whether an annotation sets what an entry of {@code semel.http.routes} sets under this name. */
    static boolean overrides(@Nullable Idempotent said, String setting) {
        return said != null
                && switch (setting) {
                    case "key" -> said.header() != Idempotent.Header.CONFIGURED;
                    case "level" -> said.level() != Idempotent.Level.CONFIGURED;
                    case "tuning.policy" -> !said.policy().equals("default");
                    case "tuning.patience" -> !said.patience().isEmpty();
                    default -> false;
                };
    }

    static @Nullable Idempotent said(Class<?> type, Method method) {
        Idempotent own = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
        if (own != null && own.key().isEmpty()) {
            return own;
        }
        return AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
    }

    private static Rule changed(Rule configured, Idempotent said) {
        Rule rule = configured;
        if (overrides(said, "level")) {
            rule = rule.withLevel(Level.valueOf(said.level().name()));
        }
        if (overrides(said, "tuning.policy")) {
            rule = rule.withPolicy(said.policy());
        }
        if (overrides(said, "tuning.patience")) {
            rule = rule.withPatience(DurationStyle.detectAndParse(said.patience()));
        }
        for (String label : said.labels()) {
            rule = rule.withLabel(label);
        }
        return switch (said.header()) {
            case CONFIGURED -> rule;
            case REQUIRED -> rule.withKey(Rule.KeyUse.REQUIRED);
            case OPTIONAL -> rule.withKey(Rule.KeyUse.OPTIONAL);
            case OFF -> rule.withKey(Rule.KeyUse.OFF);
        };
    }

    static boolean isAsynchronous(Method method) {
        ResolvableType type = ResolvableType.forMethodReturnType(method);
        return KotlinDetector.isSuspendingFunction(method)
                || isAsynchronous(type)
                || type.hasGenerics() && isAsynchronous(type.getGeneric(0));
    }

    private static boolean isAsynchronous(ResolvableType type) {
        Class<?> result = type.resolve(Object.class);
        return Future.class.isAssignableFrom(result)
                || Callable.class.isAssignableFrom(result)
                || ASYNCHRONOUS.contains(result.getName())
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null;
    }
}
