package dev.semel.spring;

import dev.semel.http.IdempotencyFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/** Responds to Semel's exceptions on routes without a key as the filter does under a key, unless the application does. */
final class SemelExceptionResolver implements HandlerExceptionResolver, Ordered {
    private static final int DEEPEST = 32;

    private final Supplier<IdempotencyFilter> filter;

    SemelExceptionResolver(Supplier<IdempotencyFilter> filter) {
        this.filter = filter;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception thrown) {
        Throwable current = thrown;
        try {
            for (int depth = 0; current != null && depth < DEEPEST; depth++) {
                if (filter.get().answers(request, response, current)) {
                    return new ModelAndView();
                }
                current = current.getCause();
            }
        } catch (IOException e) {
            thrown.addSuppressed(e);
        }
        return null;
    }
}
