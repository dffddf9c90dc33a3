package dev.semel.examples.planner.access;

import dev.semel.http.Hooks;
import dev.semel.http.KeyScope;
import dev.semel.spring.TenantResolver;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** Who is let in: by the hooks of Semel's filter (scope, authorization and rate limit), and in its console. */
@Configuration(proxyBeanMethods = false)
class Access {
    /** In front of Semel's filter, whose order is -50: a rejected request leaves no record. */
    private static final int FIRST = -100;

    @Bean
    FilterRegistrationBean<BearerFilter> bearerFilter(Tokens tokens) {
        FilterRegistrationBean<BearerFilter> registration = new FilterRegistrationBean<>(new BearerFilter(tokens));
        registration.addUrlPatterns("/v1/*");
        registration.setOrder(FIRST);
        return registration;
    }

    /** People of an organisation operate Semel in its console. */
    @Bean
    FilterRegistrationBean<ConsoleLogin> consoleLogin(Tokens tokens, @Value("${semel.console.path}") String console) {
        FilterRegistrationBean<ConsoleLogin> registration = new FilterRegistrationBean<>(new ConsoleLogin(tokens));
        registration.addUrlPatterns(console + "/*");
        registration.setOrder(FIRST);
        return registration;
    }

    /** Whoever logged in to the console sees the records of their organisation. */
    @Bean
    TenantResolver tenants() {
        return () -> Optional.ofNullable(RequestContextHolder.getRequestAttributes())
                .map(request -> request.getAttribute(AuthenticatedRequest.attribute(), RequestAttributes.SCOPE_REQUEST))
                .map(caller -> ((Caller) caller).tenant());
    }

    /** Keys are scoped to the organisation and the person. */
    @Bean
    Hooks.Scopes scopes() {
        return request -> request.getUserPrincipal() instanceof Caller caller
                ? Optional.of(KeyScope.of(caller.tenant(), caller.person()))
                : Optional.empty();
    }

    /** Checked before anything is stored, also for replays. */
    @Bean
    Hooks.Authorization authorization() {
        return (request, scope) -> request.getUserPrincipal() instanceof Caller caller && caller.mayWrite();
    }

    /** Checked before anything is stored, also for replays. */
    @Bean
    Hooks.RateLimit rateLimit(Quotas quotas) {
        return request ->
                request.getUserPrincipal() instanceof Caller caller ? quotas.refusal(caller) : Optional.empty();
    }
}
