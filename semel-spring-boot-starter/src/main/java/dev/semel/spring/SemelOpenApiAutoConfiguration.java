package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Rule;
import jakarta.servlet.Filter;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Documents keys, replays and problems of protected routes in the OpenAPI description, where springdoc is present. */
@AutoConfiguration(after = SemelHttpAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({GlobalOpenApiCustomizer.class, Filter.class, DispatcherServlet.class})
@ConditionalOnBean(IdempotencyFilter.class)
@ConditionalOnProperty(
        name = {"semel.enabled", "semel.expert.openapi"},
        matchIfMissing = true)
public class SemelOpenApiAutoConfiguration {
    @Bean
    GlobalOpenApiCustomizer semelOpenApi(
            IdempotencyFilter filter,
            ObjectProvider<MvcRoutes> routes,
            ObjectProvider<RequestMappingInfoHandlerMapping> mappings,
            ApplicationContext context) {
        MvcRoutes known = routes.getIfAvailable(() -> SemelHttpAutoConfiguration.routes(
                context, new RouteRules(Rule.required(), false, ConfiguredRoutes.NONE)));
        return new OpenApiRoutes(filter, known, mappings);
    }
}
