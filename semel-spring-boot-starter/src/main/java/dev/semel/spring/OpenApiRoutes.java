package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Rule;
import io.swagger.v3.core.util.PathUtils;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.PathItem;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/** Adds what the filter does to each protected route of an OpenAPI description. */
final class OpenApiRoutes implements GlobalOpenApiCustomizer {
    private static final Set<PathItem.HttpMethod> METHODS = Set.of(
            PathItem.HttpMethod.POST, PathItem.HttpMethod.PUT, PathItem.HttpMethod.PATCH, PathItem.HttpMethod.DELETE);

    private final IdempotencyFilter filter;
    private final MvcRoutes routes;
    private final ObjectProvider<RequestMappingInfoHandlerMapping> mappings;

    OpenApiRoutes(
            IdempotencyFilter filter, MvcRoutes routes, ObjectProvider<RequestMappingInfoHandlerMapping> mappings) {
        this.filter = filter;
        this.routes = routes;
        this.mappings = mappings;
    }

    @Override
    public void customise(OpenAPI api) {
        if (api.getPaths() == null) {
            return;
        }
        Map<String, Rule> known = rules();
        OpenApiProblems problems = new OpenApiProblems(filter);
        api.getPaths()
                .forEach((path, item) -> item.readOperationsMap().forEach((method, operation) -> {
                    Rule rule = METHODS.contains(method) ? rule(known, method.name(), path) : Rule.off();
                    if (rule.key() != Rule.KeyUse.OFF) {
                        OpenApiProblems.addKey(operation, rule.key() == Rule.KeyUse.REQUIRED && !rule.isLogOnly());
                    }
                    if (rule.key() != Rule.KeyUse.OFF && !rule.isLogOnly()) {
                        problems.addResponses(operation, rule);
                        if (api.getComponents() == null) {
                            api.setComponents(new Components());
                        }
                        OpenApiProblems.addSchema(api.getComponents());
                    }
                }));
    }

    /** What no mapping has is a function, which the filter knows by its path. */
    private Rule rule(Map<String, Rule> known, String method, String path) {
        Rule rule = known.get(method + " " + path);
        return rule != null ? rule : filter.rule(method, routes.found(method, path, null));
    }

    private Map<String, Rule> rules() {
        Map<String, Rule> rules = new HashMap<>();
        mappings.forEach(mapping -> mapping.getHandlerMethods()
                .forEach((info, handler) ->
                        info.getPatternValues().forEach(path -> collect(rules, info, handler, path))));
        return rules;
    }

    private void collect(Map<String, Rule> rules, RequestMappingInfo info, HandlerMethod handler, String path) {
        Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
        // A path of springdoc has no regular expressions.
        String documented = PathUtils.parsePath(path, new HashMap<>());
        for (PathItem.HttpMethod method : METHODS) {
            if (methods.isEmpty() || methods.contains(RequestMethod.valueOf(method.name()))) {
                Rule rule = MvcRoutes.isApplications(handler)
                        ? filter.rule(method.name(), routes.found(method.name(), path, handler))
                        : Rule.off();
                rules.put(method + " " + documented, rule);
            }
        }
    }
}
