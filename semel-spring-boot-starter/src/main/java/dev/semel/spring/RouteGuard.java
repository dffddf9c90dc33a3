package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Stands right in front of every handler and lets nothing pass that needs a key and came without one: the filter could not see
 * which route a request is on when another filter rewrites it later, or when its mapping is in a child context.
 */
final class RouteGuard implements HandlerInterceptor {
    private final IdempotencyFilter filter;
    private final MvcRoutes routes;

    RouteGuard(IdempotencyFilter filter, MvcRoutes routes) {
        this.filter = filter;
        this.routes = routes;
    }

    /** A request that goes on asynchronously still has its exchange, if it had one. A page of errors changes nothing. */
    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        return request.getDispatcherType() == DispatcherType.ERROR
                || !MvcRoutes.isApplications(handler)
                || filter.mayRun(request, response, routes.found(request, handler));
    }
}
