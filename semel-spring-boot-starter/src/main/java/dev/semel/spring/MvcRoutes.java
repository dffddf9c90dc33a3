package dev.semel.spring;

import dev.semel.http.Hooks;
import dev.semel.http.Rule;
import dev.semel.http.ingress.WebhookServlet;
import jakarta.servlet.ServletRegistration;
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
 * The routes of Spring MVC. The route of a request is looked up before the request is handled, on a copy that keeps the attributes
 * of the mappings. Requests without a handler of the application pass untouched.
 */
final class MvcRoutes implements Hooks.Routes {
    private static final Hooks.Routes.FoundRoute PASSES = new FoundRoute("/", Map.of(), Rule.off());

    private final Supplier<List<HandlerMapping>> mappings;
    private final RouteRules rules;

    MvcRoutes(Supplier<List<HandlerMapping>> mappings, RouteRules rules) {
        this.mappings = mappings;
        this.rules = rules;
    }

    /** The default rule. */
    Rule usual() {
        return rules.usual();
    }

    @Override
    public Optional<FoundRoute> find(HttpServletRequest request) {
        if (isWebhook(request)) {
            return Optional.of(PASSES);
        }
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
     * As {@link #find}, for a request that is already mapped to a handler of the application, without its values. Null where the
     * mapping has no pattern, such as a function whose predicate does not use the path: then the filter's own routes apply.
     */
    @Nullable
    FoundRoute found(HttpServletRequest mapped, Object handler) {
        Object pattern = mapped.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        if (pattern == null) {
            return rules.excludes(ServletRequestPathUtils.getCachedPathValue(mapped)) ? PASSES : null;
        }
        HandlerMethod method = handler instanceof HandlerMethod its ? its : null;
        return found(mapped.getMethod(), pattern.toString(), method).withVersion(ApiVersions.of(mapped));
    }

    /**
     * A route without its values and its version.
     *
     * @param handler null for a function
     */
    FoundRoute found(String httpMethod, String pattern, @Nullable HandlerMethod handler) {
        RouteRules.RouteRule ruled = handler == null
                ? rules.of(httpMethod, pattern)
                : rules.of(httpMethod, pattern, handler.getBeanType(), handler.getMethod());
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
            // A mapping rejects its method or its media type. It will reject the request again and respond then.
            return null;
        }
    }

    /**
     * A webhook goes to its own servlet, not to Spring MVC. Its route is not looked up, because a mapping with {@code params} would
     * read its form, which must be verified as it came.
     */
    private static boolean isWebhook(HttpServletRequest request) {
        String servlet = request.getHttpServletMapping().getServletName();
        ServletRegistration registered = servlet == null || servlet.isEmpty()
                ? null
                : request.getServletContext().getServletRegistration(servlet);
        return registered != null && WebhookServlet.class.getName().equals(registered.getClassName());
    }

    /** Whether it is a handler of the application: not an Actuator endpoint, the error page or a file. */
    static boolean isApplications(@Nullable Object handler) {
        return handler instanceof HandlerMethod method
                ? !method.getBeanType().getName().startsWith("org.springframework.boot.")
                : handler instanceof HandlerFunction<?>;
    }

    private static Map<String, String> values(RequestCopy probe, String pattern) {
        Map<String, String> values = new HashMap<>();
        if (pattern.contains("*")) {
            // The value of a wildcard has no name.
            RequestPath path = ServletRequestPathUtils.getParsedRequestPath(probe);
            values.put("*", path.pathWithinApplication().value());
        }
        if (probe.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> found) {
            found.forEach((name, value) -> values.put(String.valueOf(name), String.valueOf(value)));
        }
        return values;
    }
}
