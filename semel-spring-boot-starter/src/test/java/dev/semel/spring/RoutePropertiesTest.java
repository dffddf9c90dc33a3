package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.SemelException;
import dev.semel.http.IdempotencyFilter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** Which routes are protected, and how, by properties: from the page, in the log, and for requests. */
class RoutePropertiesTest {
    private static final AtomicInteger RUNS = new AtomicInteger();

    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    /** Called when Spring Boot has set up the logging. */
    private void listen() {
        lines.start();
        for (Class<?> type : List.of(RouteReport.class, IdempotencyFilter.class)) {
            Logger logger = (Logger) LoggerFactory.getLogger(type);
            logger.setLevel(Level.INFO);
            logger.setAdditive(false);
            logger.addAppender(lines);
        }
    }

    @AfterEach
    void listenNoMore() {
        for (Class<?> type : List.of(RouteReport.class, IdempotencyFilter.class)) {
            Logger logger = (Logger) LoggerFactory.getLogger(type);
            logger.detachAppender(lines);
            logger.setLevel(null);
            logger.setAdditive(true);
        }
    }

    private List<String> logged() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @RestController
    @RequestMapping("/api")
    static class Api {
        @GetMapping("/orders")
        int list() {
            return RUNS.get();
        }

        @PostMapping("/orders")
        int place() {
            return RUNS.incrementAndGet();
        }

        @PutMapping("/orders/{id}")
        @Idempotent(level = Idempotent.Level.PLAIN)
        int change(@PathVariable String id) {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/payments/{id}")
        int pay(@PathVariable String id) {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/imports")
        int load() {
            return RUNS.incrementAndGet();
        }

        @PostMapping("/internal/jobs")
        int job() {
            return RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class Application {
        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    private ConfigurableApplicationContext start(Class<?> application, String... properties) {
        return new SpringApplicationBuilder(application)
                .initializers(context -> listen())
                .properties(Stream.concat(
                                Stream.of(
                                        "server.port=0",
                                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                                        "spring.main.banner-mode=off",
                                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                                        "management.endpoints.web.exposure.include=semel",
                                        "semel.http.anonymous=true"),
                                Stream.of(properties))
                        .toArray(String[]::new))
                .run();
    }

    /** The block of the page's section, without its fences. */
    private static String block(String language) throws IOException {
        Path root = Path.of("..", "docs").toFile().exists() ? Path.of("..") : Path.of("..", "..");
        String page = Files.readString(root.resolve("docs/spring.md"));
        String section = page.substring(page.indexOf("## Rules by property"), page.indexOf("## Methods"));
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(section);
        assertThat(block.find()).as(language).isTrue();
        return block.group(1);
    }

    private static String[] yaml(String text) throws IOException {
        EnumerablePropertySource<?> source = (EnumerablePropertySource<?>) new YamlPropertySourceLoader()
                .load("page", new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))
                .get(0);
        return Stream.of(source.getPropertyNames())
                .map(name -> name + "=" + source.getProperty(name))
                .toArray(String[]::new);
    }

    private static void assertFaults(Throwable failure, String... faults) {
        assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                .isInstanceOfSatisfying(SemelException.Misconfigured.class, e -> {
                    assertThat(e.faults()).hasSize(faults.length);
                    for (int i = 0; i < faults.length; i++) {
                        assertThat(e.faults().get(i)).startsWith(faults[i]);
                    }
                });
    }

    @Test
    void propertiesOfThePageMakeTheTableOfThePage() throws IOException {
        try (var context = start(Application.class, yaml(block("yaml")))) {
            assertThat(context.isActive()).isTrue();
            assertThat(logged()).containsExactly(block("text").stripTrailing());
        }
    }

    @Test
    void routesFollowTheRulesOfTheProperties() throws IOException {
        try (var context = start(Application.class, yaml(block("yaml")))) {
            Web web = Web.of(context);
            assertThat(web.post("/api/orders", null, "{}").statusCode()).isEqualTo(400);
            assertThat(web.post("/api/internal/jobs", null, "{}").statusCode()).isEqualTo(200);
            HttpResponse<String> first = web.post("/api/payments/1", "k-1", "{}");
            assertThat(web.post("/api/payments/1", "k-1", "{}").body()).isEqualTo(first.body());
        }
    }

    @Test
    void logOnlyRouteChangesNoResponseAndReportsWhatItWouldDo() throws IOException {
        try (var context = start(Application.class, yaml(block("yaml")))) {
            lines.list.clear();
            Web web = Web.of(context);
            assertThat(web.post("/api/imports", null, "{}").statusCode()).isEqualTo(200);
            HttpResponse<String> first = web.post("/api/imports", "k-1", "{}");
            HttpResponse<String> second = web.post("/api/imports", "k-1", "{}");
            assertThat(second.body()).isNotEqualTo(first.body());
            assertThat(second.headers().map()).doesNotContainKeys("idempotency-replayed", "x-request-id");
            assertThat(logged())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith("log-only: POST /api/imports: would reject with 400"
                                            + " idempotency.key_required; the request passes"),
                            line -> assertThat(line)
                                    .startsWith("log-only: POST /api/imports: would replay the first response"));
            assertThat(context.getBean(MeterRegistry.class)
                            .get("semel.http.log_only")
                            .tags("route", "POST /api/imports", "answer", "replayed")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }
    }

    @Test
    void everyRouteIsLogOnlyWithTheGlobalProperty() {
        try (var context = start(
                Application.class,
                "semel.http.log-only=true",
                "semel.http.routes[0].path=/api/payments/**",
                "semel.http.routes[0].log-only=false")) {
            Web web = Web.of(context);
            assertThat(web.post("/api/orders", null, "{}").statusCode()).isEqualTo(200);
            assertThat(web.send("PUT", "/api/orders/7", null, "{}").statusCode())
                    .isEqualTo(200);
            assertThat(web.post("/api/payments/1", null, "{}").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void actuatorShowsTheTable() {
        try (var context = start(Application.class)) {
            String state =
                    Web.of(context).send("GET", "/actuator/semel", null, null).body();
            assertThat(state)
                    .contains("{\"route\":\"POST /api/orders\",\"level\":\"marker\",\"key\":\"required\","
                            + "\"logOnly\":false,\"policy\":\"api.request\",\"setBy\":\"default\"}");
        }
    }

    @Test
    void eachSettingComesFromTheMostSpecificEntryThatHasIt() {
        try (var context = start(
                Application.class,
                "semel.http.routes[0].path=/api/**",
                "semel.http.routes[0].key=optional",
                "semel.http.routes[0].level=plain",
                "semel.http.routes[1].path=/api/payments/{id}",
                "semel.http.routes[1].tuning.policy=http.client",
                "semel.http.routes[2].path=/api/payments/{id}",
                "semel.http.routes[2].methods=POST",
                "semel.http.routes[2].level=span")) {
            assertThat(rules(context))
                    .containsEntry(
                            "POST /api/payments/{id}",
                            "span optional http.client semel.http.routes[2], semel.http.routes[1], semel.http.routes[0]")
                    .containsEntry("POST /api/orders", "plain optional api.request semel.http.routes[0]")
                    .containsEntry(
                            "PUT /api/orders/{id}", "plain optional api.request @Idempotent, semel.http.routes[0]");
        }
    }

    private static Map<String, String> rules(ConfigurableApplicationContext context) {
        return context.getBean(RouteLines.class).all().stream()
                .collect(Collectors.toMap(
                        RouteLines.RouteLine::route,
                        line -> line.level() + " " + line.key() + " " + line.policy() + " " + line.setBy()));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Functions {
        @Bean
        RouterFunction<ServerResponse> functions() {
            return RouterFunctions.route()
                    .path(
                            "/hooks",
                            hooks -> hooks.POST(
                                            "/{name}",
                                            request -> ServerResponse.ok().body(RUNS.incrementAndGet()))
                                    .GET(
                                            "/{name}",
                                            request -> ServerResponse.ok().build()))
                    .build();
        }
    }

    @Test
    void functionsAreListedAndFollowTheProperties() {
        try (var context = start(
                Functions.class,
                "semel.http.routes[0].path=/hooks/**",
                "semel.http.routes[0].key=optional",
                "semel.http.routes[0].level=plain")) {
            assertThat(rules(context))
                    .containsOnly(Map.entry("POST /hooks/{name}", "plain optional api.request semel.http.routes[0]"));
            Web web = Web.of(context);
            assertThat(web.post("/hooks/a", null, "{}").statusCode()).isEqualTo(200);
            assertThat(web.post("/hooks/a", "k-1", "{}").body())
                    .isEqualTo(web.post("/hooks/a", "k-1", "{}").body());
        }
    }

    @Test
    void settingsWithoutEffectAreWarnings() {
        try (var context = start(
                Application.class,
                "semel.http.exclude[0]=/api/intern/**",
                "semel.http.exclude[1]=/api/internal/**",
                "semel.http.routes[0].path=/api/orders/{id}",
                "semel.http.routes[0].level=marker",
                "semel.http.routes[1].path=/api/internal/jobs",
                "semel.http.routes[1].key=optional")) {
            assertThat(context.isActive()).isTrue();
            assertThat(logged().subList(0, lines.list.size() - 1))
                    .containsExactly(
                            "Idempotency-Key filter: semel.http.exclude[0] is \"/api/intern/**\", which matches no route;"
                                    + " perhaps /api/internal/jobs is meant.",
                            "Idempotency-Key filter: semel.http.routes[0].level has no effect: @Idempotent sets it on PUT"
                                    + " /api/orders/{id} (Api.change).",
                            "Idempotency-Key filter: semel.http.routes[1] (/api/internal/jobs) has no effect: all routes"
                                    + " that it matches are excluded.");
        }
    }

    @RestController
    static class Late {
        @PostMapping("/a/b")
        @Idempotent
        int both() {
            return 1;
        }

        @PostMapping("/later")
        Callable<Integer> later() {
            return () -> 1;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Late.class)
    static class Contradicting {}

    @Test
    void contradictionsFailTheStartTogether() {
        assertThatThrownBy(() -> start(
                        Contradicting.class,
                        "semel.http.exclude=/a/**",
                        "semel.http.routes[0].path=/a/{x}",
                        "semel.http.routes[0].key=optional",
                        "semel.http.routes[1].path=/{x}/b",
                        "semel.http.routes[1].key=off",
                        "semel.http.routes[2].path=/later",
                        "semel.http.routes[2].level=span"))
                .satisfies(failure -> assertFaults(
                        failure,
                        "POST /a/b: semel.http.routes[0] (/a/{x}) and semel.http.routes[1] (/{x}/b) conflict: both set"
                                + " key",
                        "POST /a/b (Late.both) conflict: it has @Idempotent, but it is excluded by"
                                + " semel.http.exclude[0] (/a/**)",
                        "POST /later (Late.later): its level is SPAN by semel.http.routes[2] (/later), but it responds"
                                + " asynchronously"));
    }

    @Test
    void gapInTheNumbersOfEntriesFailsTheStart() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        "semel.http.routes[0].path=/api/orders",
                        "semel.http.routes[0].key=off",
                        "semel.http.routes[2].path=/api/imports",
                        "semel.http.routes[2].key=off"))
                .satisfies(failure -> assertFaults(
                        failure,
                        "semel.http.routes: The elements [semel.http.routes[2].key,semel.http.routes[2].path]"));
    }

    @Test
    void faultsOfThePropertiesAreReportedTogether() {
        assertThatThrownBy(() -> start(
                        Application.class,
                        "semel.http.include=api/**",
                        "semel.http.routes[0].path=/api/{",
                        "semel.http.routes[0].key=off",
                        "semel.http.routes[1].level=often",
                        "semel.http.routes[1].path=/api/orders",
                        "semel.http.routes[2].path=/api/orders",
                        "semel.http.routes[2].tuning.policy=no.such",
                        "semel.http.routes[2].tuning.largest-kept-response=2MB",
                        "semel.http.routes[3].pth=/x",
                        "semel.http.routes[3].methods=get",
                        "semel.http.routes[3].key=off",
                        "semel.http.routes[4].path=/api/imports",
                        "semel.http.routes[4].tuning.patience=-1s"))
                .satisfies(failure -> assertFaults(
                        failure,
                        "semel.http.routes[3].pth is not a property of Semel; perhaps semel.http.routes[].path",
                        "semel.http.routes[1].level is \"often\": use span or marker or plain",
                        "semel.http.routes[3].methods is \"get\": use post or put or patch or delete",
                        "semel.http.include[0] is \"api/**\": a path pattern must begin with /",
                        "semel.http.routes[0].path is \"/api/{\", which is not a path pattern of Spring MVC",
                        "semel.http.routes[2] (/api/orders) has the same path and methods as semel.http.routes[1]",
                        "semel.http.routes[3].path is missing",
                        "semel.http.routes[4].tuning.patience: a patience of PT-1S: use zero or more",
                        "semel.http.routes[2].tuning.largest-kept-response is 2097152B: use at most",
                        "semel.http.routes[2].tuning.policy is \"no.such\", which is not a known policy"));
    }
}
