package dev.semel.spring;

import dev.semel.http.Level;
import dev.semel.http.Rule;
import java.lang.reflect.Method;
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

/** The rule of a route: the configured rule, changed by {@link Idempotent} on the method or its class. */
final class RouteRules {
    private static final String ROUTE = "org.springframework.web.bind.annotation.RequestMapping";
    private static final Set<String> ASYNCHRONOUS = Set.of(
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private record RouteMethod(Class<?> type, Method method) {}

    /**
     * The rule of a route.
     *
     * @param rule null where the filter's settings apply
     * @param asynchronous whether these settings apply at the level PLAIN, because the method responds on another thread
     */
    record RouteRule(@Nullable Rule rule, boolean asynchronous) {}

    private final Rule usual;
    private final boolean onlyAnnotated;
    private final Map<RouteMethod, RouteRule> known = new ConcurrentHashMap<>();

    RouteRules(Rule usual, boolean onlyAnnotated) {
        this.usual = usual;
        this.onlyAnnotated = onlyAnnotated;
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

    /** Cached: the lookup takes longer than finding the method itself. */
    RouteRule of(Class<?> type, Method method) {
        return known.computeIfAbsent(new RouteMethod(type, method), route -> found(route.type, route.method));
    }

    private RouteRule found(Class<?> type, Method method) {
        Idempotent said = said(type, method);
        boolean asynchronous = isAsynchronous(method);
        if (said == null) {
            return new RouteRule(null, asynchronous);
        }
        Rule rule = changed(usual, said);
        // Its transaction is on another thread, where it cannot be marked.
        boolean plain = asynchronous && said.level() == Idempotent.Level.CONFIGURED;
        return new RouteRule(plain ? rule.withLevel(Level.PLAIN) : rule, asynchronous);
    }

    static @Nullable Idempotent said(Class<?> type, Method method) {
        Idempotent own = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
        if (own != null && own.key().isEmpty()) {
            return own;
        }
        return AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class);
    }

    private static Rule changed(Rule usual, Idempotent said) {
        Rule rule = usual;
        if (said.level() != Idempotent.Level.CONFIGURED) {
            rule = rule.withLevel(Level.valueOf(said.level().name()));
        }
        if (!said.policy().equals("default")) {
            rule = rule.withPolicy(said.policy());
        }
        if (!said.patience().isEmpty()) {
            rule = rule.withPatience(DurationStyle.detectAndParse(said.patience()));
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
