package dev.semel.spring;

import dev.semel.http.Hooks;
import dev.semel.http.Rule;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The routes of Spring MVC. Which one a request is on is found out before it is handled, on a request that looks like it and
 * keeps what the mappings leave behind to itself. Whatever no handler of the application would get passes untouched: there is
 * nothing to run twice.
 */
final class MvcRoutes implements Hooks.Routes {
    private static final Hooks.Routes.FoundRoute PASSES = new FoundRoute("/", Map.of(), Rule.off());

    private final Supplier<List<HandlerMapping>> mappings;
    private final RouteRules rules;

    MvcRoutes(Supplier<List<HandlerMapping>> mappings, RouteRules rules) {
        this.mappings = mappings;
        this.rules = rules;
    }

    /** The rule of all routes of which nothing else is said. */
    Rule usual() {
        return rules.usual();
    }

    @Override
    public Optional<FoundRoute> find(HttpServletRequest request) {
        RequestCopy probe = new RequestCopy(request);
        ServletRequestPathUtils.parseAndCache(probe);
        HandlerExecutionChain chain = chain(probe);
        if (chain == null || !isApplications(chain.getHandler())) {
            return Optional.of(PASSES);
        }
        CrossOrigins.note(request, probe, chain);
        FoundRoute found = found(probe, chain.getHandler());
        return found == null ? Optional.empty() : Optional.of(found.withValues(values(probe, found.template())));
    }

    /**
     * As {@link #find}, for a request that has been mapped to a handler of the application's, and without its values. Nothing
     * where the mapping names no pattern, as with a function whose predicate looks at something else than the path: the filter's
     * own routes apply.
     */
    @Nullable
    FoundRoute found(HttpServletRequest mapped, Object handler) {
        Object pattern = mapped.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        if (pattern == null) {
            return null;
        }
        FoundRoute found = handler instanceof HandlerMethod method
                ? found(pattern.toString(), method)
                : new FoundRoute(pattern.toString(), Map.of(), null);
        return found.withVersion(ApiVersions.of(mapped));
    }

    /** The route of a method, without its values and its version. */
    FoundRoute found(String pattern, HandlerMethod method) {
        RouteRules.Ruled ruled = rules.of(method.getBeanType(), method.getMethod());
        return new FoundRoute(pattern, Map.of(), ruled.rule(), ruled.asynchronous(), null);
    }

    private @Nullable HandlerExecutionChain chain(RequestCopy probe) {
        try {
            for (HandlerMapping mapping : mappings.get()) {
                HandlerExecutionChain chain = mapping.getHandler(probe);
                if (chain != null) {
                    return chain;
                }
            }
            return null;
        } catch (Exception e) {
            // A mapping refuses it, for its method or its media type; it will again, and then answers it.
            return null;
        }
    }

    /** Not Boot's own: the Actuator's endpoints and the page of errors. Not files. */
    static boolean isApplications(@Nullable Object handler) {
        return handler instanceof HandlerMethod method
                ? !method.getBeanType().getName().startsWith("org.springframework.boot.")
                : handler instanceof HandlerFunction<?>;
    }

    private static Map<String, String> values(RequestCopy probe, String pattern) {
        Map<String, String> values = new HashMap<>();
        if (pattern.contains("*")) {
            // What a wildcard stands for has no name.
            RequestPath path = ServletRequestPathUtils.getParsedRequestPath(probe);
            values.put("*", path.pathWithinApplication().value());
        }
        if (probe.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> found) {
            found.forEach((name, value) -> values.put(String.valueOf(name), String.valueOf(value)));
        }
        return values;
    }
}
