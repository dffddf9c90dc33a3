package dev.semel.spring;

import dev.semel.http.Hooks;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.filter.CorsFilter;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Applies the CORS configuration of the application before the Idempotency-Key filter responds: each {@link CorsFilter},
 * wherever it is in the chain, and the configuration of the handler's mapping ({@code @CrossOrigin}, {@code addCorsMappings}).
 * They skip a response that already has CORS headers, so no header is set twice when the request reaches them later.
 */
final class CrossOrigins implements Hooks.Origins {
    private static final String ATTRIBUTE = CrossOrigins.class.getName();

    private final Supplier<List<CorsFilter>> filters;

    CrossOrigins(Supplier<List<CorsFilter>> filters) {
        this.filters = filters;
    }

    /** The CORS interceptor that a mapping has put in front of its handler. */
    private record MappedHandler(HttpServletRequest probe, Object handler, HandlerInterceptor cors) {}

    /** @param probe the copy of the request that the mapping has matched */
    static void note(HttpServletRequest request, HttpServletRequest probe, HandlerExecutionChain chain) {
        for (HandlerInterceptor interceptor : chain.getInterceptorList()) {
            if (interceptor instanceof CorsConfigurationSource) {
                request.setAttribute(ATTRIBUTE, new MappedHandler(probe, chain.getHandler(), interceptor));
                return;
            }
        }
    }

    @Override
    public boolean admits(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        for (CorsFilter filter : filters.get()) {
            AtomicBoolean passed = new AtomicBoolean();
            filter.doFilter(request, response, (same, to) -> passed.set(true));
            if (!passed.get()) {
                return false;
            }
        }
        if (!(request.getAttribute(ATTRIBUTE) instanceof MappedHandler mapped)) {
            return true;
        }
        request.removeAttribute(ATTRIBUTE);
        try {
            return mapped.cors.preHandle(mapped.probe, response, mapped.handler);
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    /** The CORS filters for all requests. One for some paths only must be in front of the Idempotency-Key filter. */
    static List<CorsFilter> filters(ListableBeanFactory beans) {
        Set<CorsFilter> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.addAll(beans.getBeansOfType(CorsFilter.class).values());
        beans.getBeansOfType(FilterRegistrationBean.class).values().forEach(each -> {
            if (each.getFilter() instanceof CorsFilter filter) {
                if (each.isEnabled() && isForAll(each)) {
                    all.add(filter);
                } else {
                    all.remove(filter);
                }
            }
        });
        return List.copyOf(all);
    }

    private static boolean isForAll(FilterRegistrationBean<?> registration) {
        Collection<String> paths = registration.getUrlPatterns();
        return registration.getServletNames().isEmpty()
                && registration.getServletRegistrationBeans().isEmpty()
                && (paths.isEmpty() || paths.contains("/*"));
    }
}
