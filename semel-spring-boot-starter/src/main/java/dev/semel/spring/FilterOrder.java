package dev.semel.spring;

import dev.semel.SemelException;
import dev.semel.http.IdempotencyFilter;
import jakarta.servlet.Filter;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.core.Ordered;

/** Checks that the filter is behind Spring Security: in front of it requests are unauthenticated, and replays unauthorized. */
final class FilterOrder {
    private static final String SECURITY = "springSecurityFilterChain";

    private FilterOrder() {}

    /** @throws SemelException.Misconfigured when it is not */
    static void check(ListableBeanFactory beans) {
        OptionalInt security = security(beans);
        if (security.isEmpty()) {
            return;
        }
        registrations(beans).forEach((name, each) -> {
            boolean ours = each.isEnabled() && each.getFilter() instanceof IdempotencyFilter;
            if (ours && each.getOrder() <= security.getAsInt()) {
                throw new SemelException.Misconfigured(
                        "Semel's HTTP settings",
                        List.of("the Idempotency-Key filter (" + name + ") has the order " + each.getOrder()
                                + ", which is not behind Spring Security's filter (order " + security.getAsInt()
                                + "): requests would not be authenticated yet. Set semel.http.expert.order to a greater"
                                + " number, or spring.security.filter.order to a smaller one"));
            }
        });
    }

    private static OptionalInt security(ListableBeanFactory beans) {
        OptionalInt last = registrations(beans).values().stream()
                .filter(each -> each.isEnabled() && isSecurity(each))
                .mapToInt(Ordered::getOrder)
                .max();
        // Spring Boot registers a filter bean without a registration behind all ordered filters.
        return last.isEmpty() && beans.containsBean(SECURITY) ? OptionalInt.of(Ordered.LOWEST_PRECEDENCE) : last;
    }

    private static boolean isSecurity(AbstractFilterRegistrationBean<?> registration) {
        Filter filter = registration.getFilter();
        return SECURITY.equals(registration.getFilterName())
                || filter != null && filter.getClass().getName().startsWith("org.springframework.security.");
    }

    @SuppressWarnings("rawtypes") // as beans are found by type
    private static Map<String, AbstractFilterRegistrationBean> registrations(ListableBeanFactory beans) {
        return beans.getBeansOfType(AbstractFilterRegistrationBean.class);
    }
}
