package dev.semel.examples.planner.access;

import dev.semel.http.Hooks;
import dev.semel.http.KeyScope;
import java.util.Optional;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Semel's filter is told about callers. */
@Configuration(proxyBeanMethods = false)
class Access {
    /** In front of Semel's filter, whose place is -50: whoever is not let in leaves no record. */
    private static final int FIRST = -100;

    @Bean
    FilterRegistrationBean<BearerFilter> bearerFilter(Tokens tokens) {
        FilterRegistrationBean<BearerFilter> registration = new FilterRegistrationBean<>(new BearerFilter(tokens));
        registration.addUrlPatterns("/v1/*");
        registration.setOrder(FIRST);
        return registration;
    }

    /** Keys are among those of the organisation and the person. */
    @Bean
    Hooks.Scopes scopes() {
        return request -> request.getUserPrincipal() instanceof Caller caller
                ? Optional.of(KeyScope.of(caller.tenant(), caller.person()))
                : Optional.empty();
    }

    /** Before anything is stored, replays too. */
    @Bean
    Hooks.Authorization authorization() {
        return (request, scope) -> request.getUserPrincipal() instanceof Caller caller && caller.mayWrite();
    }

    /** Before anything is stored, replays too. */
    @Bean
    Hooks.RateLimit rateLimit() {
        Quotas quotas = new Quotas();
        return request ->
                request.getUserPrincipal() instanceof Caller caller ? quotas.refusal(caller) : Optional.empty();
    }
}
