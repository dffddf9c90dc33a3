package dev.semel.spring;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The POST, PUT, PATCH and DELETE routes of the application. Those of child contexts are not known when the context starts. */
final class ListedRoutes {
    private static final List<String> METHODS = List.of("POST", "PUT", "PATCH", "DELETE");

    private ListedRoutes() {}

    /** @param handler null for a function */
    record ListedRoute(String method, String path, @Nullable HandlerMethod handler) {
        @Override
        public String toString() {
            return method + " " + path;
        }

        /** With the controller and its method, for messages. */
        String shown() {
            return handler == null
                    ? toString()
                    : this + " (" + handler.getBeanType().getSimpleName() + "."
                            + handler.getMethod().getName() + ")";
        }
    }

    static List<ListedRoute> of(List<RequestMappingHandlerMapping> controllers, List<RouterFunctionMapping> functions) {
        List<ListedRoute> routes = new ArrayList<>();
        controllers.forEach(mapping -> mapping.getHandlerMethods().forEach((info, handler) -> {
            if (MvcRoutes.isApplications(handler)) {
                Set<String> methods = new TreeSet<>();
                info.getMethodsCondition().getMethods().forEach(method -> methods.add(method.name()));
                add(routes, methods, info.getPatternValues(), handler);
            }
        }));
        functions.forEach(mapping -> FunctionRoutes.of(mapping.getRouterFunction())
                .forEach(each -> add(routes, each.methods(), each.paths(), null)));
        routes.sort(Comparator.comparing(ListedRoute::path).thenComparing(ListedRoute::method));
        return routes;
    }

    /** @param methods empty for all */
    private static void add(
            List<ListedRoute> routes,
            Collection<String> methods,
            Collection<String> paths,
            @Nullable HandlerMethod handler) {
        for (String path : paths) {
            for (String method : METHODS) {
                if (methods.isEmpty() || methods.contains(method)) {
                    routes.add(new ListedRoute(method, path, handler));
                }
            }
        }
    }
}
