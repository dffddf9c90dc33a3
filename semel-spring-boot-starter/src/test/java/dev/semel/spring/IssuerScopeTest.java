package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A ledger in which callers were known by name alone, before the issuers of their tokens were told apart. */
class IssuerScopeTest {
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final AtomicReference<Principal> CALLER = new AtomicReference<>();

    @RestController
    static class Orders {
        @PostMapping("/orders")
        int order() {
            return RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {
        @Bean
        FilterRegistrationBean<Filter> callers() {
            FilterRegistrationBean<Filter> registration =
                    new FilterRegistrationBean<>((request, response, chain) -> chain.doFilter(
                            new HttpServletRequestWrapper((HttpServletRequest) request) {
                                @Override
                                public Principal getUserPrincipal() {
                                    return CALLER.get();
                                }
                            },
                            response));
            registration.setOrder(-60);
            return registration;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRetryWithATokenFindsTheRecordOfItsNameExactlyWhereTheOldScopeIsKept(boolean told) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.ALL + "," + Web.SECURITY,
                        "semel.store=memory:",
                        "semel.http.expert.keys-by-issuer-and-version=" + told)
                .run()) {
            Web web = Web.of(context);
            CALLER.set(() -> "ann");
            String first = web.post("/orders", "k", null).body();
            CALLER.set(new RouteGuardTest.Token("ann", "https://issuer.example"));
            HttpResponse<String> retry = web.post("/orders", "k", null);
            assertThat(retry.statusCode()).as(retry.body()).isEqualTo(200);
            assertThat(retry.body().equals(first)).isEqualTo(!told);
            assertThat(retry.headers().firstValue("Idempotency-Replayed").isPresent())
                    .isEqualTo(!told);
        }
    }
}
