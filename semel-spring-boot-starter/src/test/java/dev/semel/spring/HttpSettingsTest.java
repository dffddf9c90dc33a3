package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.http.Hooks;
import dev.semel.http.IdempotencyFilter;
import dev.semel.http.KeyScope;
import jakarta.servlet.Filter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.web.servlet.DispatcherServlet;

/** What the settings and the beans say of the Idempotency-Key filter, and that two of them which contradict are named. */
class HttpSettingsTest {
    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class, SemelHttpAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    @Test
    void everyFaultIsNamedAtOnce() {
        runner.withPropertyValues(
                        "semel.http.level=span",
                        "semel.http.tuning.policy=no.such",
                        "semel.http.tuning.largest-kept-response=2MB",
                        "semel.http.expert.breaker.failure-percent=200")
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "semel.http.level is SPAN, but the ledger has its own store",
                        "semel.http.tuning.largest-kept-response is 2097152 bytes",
                        "semel.http.expert.breaker",
                        "semel.http.tuning.policy is \"no.such\""));
    }

    @Test
    void twoBeansForOneHookFailTheStart() {
        runner.withBean("one", Hooks.Authorization.class, () -> (request, scope) -> true)
                .withBean("two", Hooks.Authorization.class, () -> (request, scope) -> false)
                .withBean("three", Hooks.RateLimit.class, () -> request -> Optional.empty())
                .withBean("four", Hooks.RateLimit.class, () -> request -> Optional.empty())
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "several beans of type Hooks.RateLimit (three, four)",
                        "several beans of type Hooks.Authorization (one, two)"));
    }

    /** As Spring Boot registers Spring Security's, at the order -100. */
    @Test
    void filterInFrontOfSpringSecurityFailsTheStart() {
        var secured = runner.withBean("springSecurityFilterChain", Filter.class, () -> (request, response, chain) -> {})
                .withBean(DelegatingFilterProxyRegistrationBean.class, () -> {
                    var registration = new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
                    registration.setOrder(-100);
                    return registration;
                });
        secured.run(context -> assertThat(context).hasNotFailed());
        for (int order : new int[] {-100, -101}) {
            secured.withPropertyValues("semel.http.expert.order=" + order)
                    .run(context -> SemelAutoConfigurationTest.assertFaults(
                            context.getStartupFailure(),
                            "has the order " + order + ", which is not behind Spring Security's filter (order -100)"));
        }
    }

    @Test
    void scopeBeanExcludesTheAnonymousSetting() {
        runner.withBean(Hooks.Scopes.class, () -> request -> Optional.of(KeyScope.of(Tenant.SINGLE)))
                .withPropertyValues("semel.http.anonymous=true")
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(), "semel.http.anonymous is set"));
    }

    @Test
    void filterIsBehindSpringSecurityAndCanBeDisabled() {
        runner.run(context -> {
            FilterRegistrationBean<?> registration =
                    context.getBean("idempotencyFilterRegistration", FilterRegistrationBean.class);
            assertThat(registration.getFilter()).isSameAs(context.getBean(IdempotencyFilter.class));
            assertThat(registration.getOrder()).isEqualTo(-50);
        });
        runner.withPropertyValues("semel.http.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(IdempotencyFilter.class));
        for (Class<?> absent : new Class<?>[] {Filter.class, DispatcherServlet.class}) {
            runner.withClassLoader(new FilteredClassLoader(absent))
                    .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("idempotencyFilter"));
        }
    }
}
