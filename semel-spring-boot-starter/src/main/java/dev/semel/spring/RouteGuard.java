package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Runs just before every handler and rejects a request that needs a key but did not pass the filter under its route. The filter
 * cannot find the route when another filter rewrites the request later, or when its mapping is in a child context.
 */
final class RouteGuard implements HandlerInterceptor {
    private final IdempotencyFilter filter;
    private final MvcRoutes routes;

    RouteGuard(IdempotencyFilter filter, MvcRoutes routes) {
        this.filter = filter;
        this.routes = routes;
    }

    /** Skips asynchronous dispatches, which keep their exchange, and error pages, which change nothing. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        return request.getDispatcherType() == DispatcherType.ERROR
                || !MvcRoutes.isApplications(handler)
                || filter.mayRun(request, response, routes.found(request, handler));
    }
}
