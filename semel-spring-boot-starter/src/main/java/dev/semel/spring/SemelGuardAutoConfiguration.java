package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Rule;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.MappedInterceptor;

/**
 * Adds the route guard wherever there is an Idempotency-Key filter, also if it is the application's own filter, which does not
 * read annotations.
 */
@AutoConfiguration(after = SemelHttpAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({Filter.class, DispatcherServlet.class})
@ConditionalOnBean(IdempotencyFilter.class)
@ConditionalOnProperty(name = "semel.enabled", matchIfMissing = true)
public class SemelGuardAutoConfiguration {

    /** All mappings of the context and of its child contexts use it. */
    @Bean
    MappedInterceptor semelRouteGuard(
            IdempotencyFilter filter, ObjectProvider<MvcRoutes> routes, ApplicationContext context) {
        MvcRoutes known = routes.getIfAvailable(() -> SemelHttpAutoConfiguration.routes(
                context, new RouteRules(Rule.required(), false, ConfiguredRoutes.NONE)));
        return new MappedInterceptor(new String[] {"/**"}, new RouteGuard(filter, known));
    }
}
