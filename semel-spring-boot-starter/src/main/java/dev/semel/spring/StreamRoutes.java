package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import dev.semel.http.Rule;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Rejects streaming routes that need a key when the application starts: their clients would get nothing before the end of the
 * stream. The filter rejects streams that are visible only at run time.
 */
final class StreamRoutes {
    private static final Set<RequestMethod> METHODS =
            EnumSet.of(RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH, RequestMethod.DELETE);

    private final IdempotencyFilter filter;
    private final MvcRoutes routes;

    StreamRoutes(IdempotencyFilter filter, MvcRoutes routes) {
        this.filter = filter;
        this.routes = routes;
    }

    /** A fault for each streaming route. A log-only route has none: its responses are not held. */
    List<String> faults(List<RequestMappingHandlerMapping> mappings) {
        List<String> faults = new ArrayList<>();
        mappings.forEach(mapping -> mapping.getHandlerMethods().forEach((info, handler) -> {
            String stream = stream(info, handler.getMethod());
            if (stream != null) {
                check(info, handler, stream, faults);
            }
        }));
        return faults;
    }

    private void check(RequestMappingInfo info, HandlerMethod handler, String stream, List<String> faults) {
        Set<RequestMethod> said = info.getMethodsCondition().getMethods();
        for (RequestMethod method : said.isEmpty() ? METHODS : said) {
            for (String path : new TreeSet<>(info.getPatternValues())) {
                Rule rule = METHODS.contains(method)
                        ? filter.rule(method.name(), routes.found(method.name(), path, handler))
                        : Rule.off();
                boolean held = rule.key() == Rule.KeyUse.REQUIRED && !rule.isLogOnly();
                if (held && !rule.limits().holdsStreams()) {
                    faults.add(method + " " + path + " ("
                            + handler.getBeanType().getSimpleName() + "."
                            + handler.getMethod().getName() + ") responds with " + stream
                            + ", but a response under an Idempotency-Key is sent only at its end: add"
                            + " @Idempotent(header = OFF) or OPTIONAL, or set"
                            + " semel.http.tuning.responses.hold-streams=true");
                }
            }
        }
    }

    private static @Nullable String stream(RequestMappingInfo info, Method method) {
        ResolvableType type = ResolvableType.forMethodReturnType(method);
        if (SseEmitter.class.isAssignableFrom(type.resolve(Object.class))
                || type.hasGenerics()
                        && SseEmitter.class.isAssignableFrom(type.getGeneric(0).resolve(Object.class))) {
            return "an SseEmitter";
        }
        Set<MediaType> produced = info.getProducesCondition().getProducibleMediaTypes();
        return !produced.isEmpty() && produced.stream().allMatch(each -> IdempotencyFilter.isStream(each.toString()))
                ? produced.stream().map(MediaType::toString).collect(Collectors.joining(", "))
                : null;
    }
}
