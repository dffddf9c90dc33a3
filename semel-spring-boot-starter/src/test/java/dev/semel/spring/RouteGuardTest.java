package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.http.Rule;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Requests that reach a handler by ways which the filter cannot see, and routes that are exempt from it. */
class RouteGuardTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    private static ConfigurableApplicationContext context;
    private static Web web;

    @RestController
    static class Orders {
        @PostMapping("/orders")
        int order() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/maybe")
        @Idempotent(header = Idempotent.Header.OPTIONAL)
        int maybe() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/webhooks/now/{id}")
        int hook() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/webhooks/later")
        Callable<Integer> laterHook() {
            return RUNS::incrementAndGet;
        }

        @PostMapping("/later")
        Callable<Integer> later() {
            return RUNS::incrementAndGet;
        }
    }

    @RestController
    static class Parcels {
        @PostMapping("/parcels")
        int send() {
            return RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    @Import(Parcels.class)
    static class Child {}

    /** As Spring Security's for bearer tokens: its claims are a property. */
    public record Token(String subject, String issuer) implements Principal {
        @Override
        public String getName() {
            return subject;
        }

        public Map<String, Object> getTokenAttributes() {
            return Map.of("sub", subject, "iss", issuer);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable()).build();
        }

        @Bean
        SemelHttpAutoConfiguration.Customizer exempt() {
            return settings ->
                    settings.withRoute("POST", "/webhooks/**", Rule.off()).withRoute("POST", "/later", Rule.off());
        }

        /** In front of the filter: ann comes by two issuers. */
        @Bean
        FilterRegistrationBean<Filter> tokens() {
            return registered(-60, (request, response, chain) -> {
                HttpServletRequest http = (HttpServletRequest) request;
                String issuer = http.getQueryString();
                chain.doFilter(
                        issuer == null
                                ? request
                                : new HttpServletRequestWrapper(http) {
                                    @Override
                                    public Principal getUserPrincipal() {
                                        return new Token("ann", issuer);
                                    }

                                    @Override
                                    public String getQueryString() {
                                        return "";
                                    }
                                },
                        response);
            });
        }

        /** Behind the filter: the paths of yesterday. */
        @Bean
        FilterRegistrationBean<Filter> rewriting() {
            return registered(0, (request, response, chain) -> {
                HttpServletRequest http = (HttpServletRequest) request;
                String path = http.getRequestURI();
                if (path.startsWith("/old/")) {
                    String today = path.substring("/old".length());
                    chain.doFilter(
                            new HttpServletRequestWrapper(http) {
                                @Override
                                public String getRequestURI() {
                                    return today;
                                }

                                @Override
                                public String getServletPath() {
                                    return today;
                                }
                            },
                            response);
                } else if (path.startsWith("/forward/")) {
                    request.getRequestDispatcher(path.substring("/forward".length()))
                            .forward(request, response);
                } else if (path.startsWith("/dispatch/")) {
                    request.startAsync().dispatch(path.substring("/dispatch".length()));
                } else {
                    chain.doFilter(request, response);
                }
            });
        }

        /** A function whose predicate names no path. */
        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route(
                    request -> request.path().startsWith("/functions/"),
                    request -> ServerResponse.ok().body(String.valueOf(RUNS.incrementAndGet())));
        }

        private static FilterRegistrationBean<Filter> registered(int order, Filter filter) {
            FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
            registration.setName("filter at " + order);
            registration.setOrder(order);
            registration.setAsyncSupported(true);
            return registration;
        }

        @Bean
        ServletRegistrationBean<DispatcherServlet> child(ApplicationContext parent) {
            AnnotationConfigWebApplicationContext child = new AnnotationConfigWebApplicationContext();
            child.setParent(parent);
            child.register(Child.class);
            ServletRegistrationBean<DispatcherServlet> registration =
                    new ServletRegistrationBean<>(new DispatcherServlet(child), "/child/*");
            registration.setName("child");
            return registration;
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.ALL,
                        "management.endpoints.web.exposure.include=semel",
                        "semel.store=memory:",
                        "semel.http.anonymous=true")
                .run();
        web = new Web(
                Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), null);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static void assertNotRun(String path, String key) {
        int before = RUNS.get();
        HttpResponse<String> refused = web.post(path, key, null);
        assertThat(refused.statusCode()).as(path + ": " + refused.body()).isEqualTo(500);
        assertThat(refused.body()).as(path).contains("idempotency.not_protected", "Rejected and not run");
        assertThat(RUNS).as(path).hasValue(before);
    }

    @Test
    void e12_rewrittenRequestThatTheFilterCouldNotMapIsNotRun() {
        assertNotRun("/old/orders", "k-1");
        assertNotRun("/forward/orders", "k-1");
        assertNotRun("/old/maybe", "k-1");
    }

    @Test
    void e12_requestThatIsDispatchedAsynchronouslyToAnotherRouteIsNotRunUnprotected() {
        assertNotRun("/dispatch/orders", "k-5");
        assertNotRun("/dispatch/maybe", "k-5");
        assertThat(web.post("/dispatch/maybe", null, null).statusCode()).isEqualTo(200);
        assertThat(web.post("/dispatch/webhooks/now/1", null, null).statusCode())
                .isEqualTo(200);
    }

    @Test
    void e12_functionWithoutAPathPatternIsProtected() {
        int before = RUNS.get();
        HttpResponse<String> bare = web.post("/functions/1", null, null);
        assertThat(bare.statusCode()).as(bare.body()).isEqualTo(400);
        assertThat(RUNS).hasValue(before);
        HttpResponse<String> first = web.post("/functions/1", "k-6", null);
        assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
        HttpResponse<String> again = web.post("/functions/1", "k-6", null);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
        assertThat(web.post("/functions/2", "k-6", null).statusCode())
                .as("the same key for another path")
                .isEqualTo(409);
        assertNotRun("/forward/functions/1", "k-7");
    }

    @Test
    void e12_routeOfAChildContextIsNotRunUnprotected() {
        assertNotRun("/child/parcels", "k-2");
    }

    @Test
    void protectedAndKeylessRoutesRun() {
        assertThat(web.post("/orders", "k-3", null).statusCode()).isEqualTo(200);
        assertThat(web.post("/maybe", null, null).statusCode()).isEqualTo(200);
        assertThat(web.post("/old/maybe", null, null).statusCode()).isEqualTo(200);
    }

    @Test
    void customizerRuleAppliesToSubpathsAndAsyncHandlers() {
        for (String path : new String[] {"/webhooks/now/1", "/webhooks/later", "/later"}) {
            HttpResponse<String> response = web.post(path, null, null);
            assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(200);
        }
    }

    @Test
    void e1_sameNameOfTwoIssuersIsTwoPrincipals() {
        String first = web.post("/orders?one", "k-4", null).body();
        String second = web.post("/orders?two", "k-4", null).body();
        assertThat(second).isNotEqualTo(first);
        assertThat(web.post("/orders?one", "k-4", null).body()).isEqualTo(first);
        assertThat(web.post("/orders?two", "k-4", null).body()).isEqualTo(second);
    }

    @Test
    void actuatorEndpointIsReadOnlyByDefault() {
        HttpResponse<String> refused =
                web.post("/actuator/semel/mode", null, "{\"mode\":\"halted\",\"reason\":\"drill\"}");
        assertThat(refused.statusCode()).as(refused.body()).isIn(404, 405);
        HttpResponse<String> shown = web.send("GET", "/actuator/semel", null, null);
        assertThat(shown.statusCode()).as(shown.body()).isEqualTo(200);
        assertThat(shown.body()).contains("\"modes\":[]");
    }
}
