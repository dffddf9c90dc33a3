package dev.semel.spring;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.web.servlet.function.HandlerFunction;
import org.springframework.web.servlet.function.RequestPredicate;
import org.springframework.web.servlet.function.RequestPredicates;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;

/** The routes of router functions that have a path. */
final class FunctionRoutes implements RouterFunctions.Visitor {
    private final List<FunctionRoute> found = new ArrayList<>();
    private final Deque<FunctionRoute> outer = new ArrayDeque<>();

    private FunctionRoutes() {}

    /**
     * @param methods empty for all
     * @param paths alternatives
     */
    record FunctionRoute(Set<String> methods, List<String> paths) {}

    static List<FunctionRoute> of(@Nullable RouterFunction<?> function) {
        FunctionRoutes visitor = new FunctionRoutes();
        if (function != null) {
            function.accept(visitor);
        }
        return visitor.found;
    }

    @Override
    public void startNested(RequestPredicate predicate) {
        outer.push(inside(predicate));
    }

    @Override
    public void endNested(RequestPredicate predicate) {
        outer.pop();
    }

    @Override
    public void route(RequestPredicate predicate, HandlerFunction<?> handler) {
        found.add(inside(predicate));
    }

    private FunctionRoute inside(RequestPredicate predicate) {
        MethodsAndPaths own = new MethodsAndPaths();
        predicate.accept(own);
        FunctionRoute around = outer.peek();
        if (around == null) {
            return new FunctionRoute(own.methods, own.paths);
        }
        Set<String> methods = own.methods.isEmpty() ? around.methods : own.methods;
        List<String> paths = new ArrayList<>();
        for (String prefix : around.paths.isEmpty() ? List.of("") : around.paths) {
            (own.paths.isEmpty() && !around.paths.isEmpty() ? List.of("") : own.paths)
                    .forEach(path -> paths.add(prefix + path));
        }
        return new FunctionRoute(methods, paths);
    }

    @Override
    public void resources(Function<ServerRequest, Optional<Resource>> lookup) {}

    @Override
    public void attributes(Map<String, Object> attributes) {}

    @Override
    public void unknown(RouterFunction<?> function) {}

    /** Collects methods and paths of a predicate; of alternatives all of them. */
    private static final class MethodsAndPaths implements RequestPredicates.Visitor {
        private final Set<String> methods = new TreeSet<>();
        private final List<String> paths = new ArrayList<>();
        private int negated;

        @Override
        public void method(Set<HttpMethod> values) {
            if (negated == 0) {
                values.forEach(value -> methods.add(value.name()));
            }
        }

        @Override
        public void path(String pattern) {
            if (negated == 0) {
                paths.add(pattern);
            }
        }

        // Spring 6 calls it; Spring 7 will remove it.
        @SuppressWarnings("removal")
        @Override
        public void pathExtension(String extension) {}

        @Override
        public void header(String name, String value) {}

        @Override
        public void param(String name, String value) {}

        @Override
        public void version(String version) {}

        @Override
        public void startAnd() {}

        @Override
        public void and() {}

        @Override
        public void endAnd() {}

        @Override
        public void startOr() {}

        @Override
        public void or() {}

        @Override
        public void endOr() {}

        @Override
        public void startNegate() {
            negated++;
        }

        @Override
        public void endNegate() {
            negated--;
        }

        @Override
        public void unknown(RequestPredicate predicate) {}
    }
}
