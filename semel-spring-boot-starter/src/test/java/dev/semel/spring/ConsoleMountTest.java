package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The console in an application with Spring Security: its users, its authorities, its protection against CSRF. */
class ConsoleMountTest {
    private static final Operation.Leased<String, String> ORDER = Operation.leased("order", String.class, String.class);
    private static final String MODE =
            "{\"operation\":\"order\",\"mode\":\"HALTED\",\"reason\":\"ticket 1\",\"tenant\":\"acme\"}";

    private static ConfigurableApplicationContext context;

    /** Security permits everything, so that only the console itself rejects. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("acme-vera", "ROLE_SEMEL_VIEWER"),
                    user("acme-olga", "SCOPE_ops"),
                    user("acme-root", "ROLE_SEMEL_ADMIN"),
                    user("acme-bob", "ROLE_USER"));
        }

        private static org.springframework.security.core.userdetails.UserDetails user(String name, String authority) {
            return User.withUsername(name)
                    .password("{noop}secret")
                    .authorities(authority)
                    .build();
        }

        /** Named as the starter's own, which it replaces. */
        @Bean
        TenantResolver semelTenants() {
            return () -> Optional.ofNullable(SecurityContextHolder.getContext().getAuthentication())
                    .map(known -> Tenant.of(known.getName().split("-")[0]));
        }

        @Bean
        SecurityFilterChain security(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @BeforeAll
    static void start() {
        context = application("semel.console.operator-authorities=SCOPE_ops");
    }

    private static ConfigurableApplicationContext application(String property) {
        ConfigurableApplicationContext started = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA,
                        "semel.console.path=/semel",
                        property)
                .run();
        for (String tenant : new String[] {"acme", "globex"}) {
            started.getBean(Semel.class)
                    .run(ORDER, Call.of(Tenant.of(tenant), Key.of("o-1"), "o"), (order, run) -> "done");
        }
        return started;
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    private static HttpClient browser() {
        return HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    }

    private static HttpRequest.Builder request(String user, String path) {
        return request(context, user, path);
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext context, String user, String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/semel" + path));
        if (!user.equals("nobody")) {
            request.header(
                    "Authorization",
                    "Basic " + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)));
        }
        return request;
    }

    private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> get(String user, String path) throws Exception {
        return send(browser(), request(user, path));
    }

    private static JsonNode json(HttpResponse<String> response) {
        return JsonMapper.shared().readTree(response.body());
    }

    private static HttpRequest.Builder post(String user, String path, String body, String... headers) {
        HttpRequest.Builder request = request(user, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request;
    }

    @Test
    void pagesAreServedWithTheApiBesideThem() throws Exception {
        HttpResponse<String> page = get("acme-vera", "/");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("content=\"api/v1\"");
        assertThat(get("acme-vera", "").headers().firstValue("Location")).hasValue("./semel/");
    }

    @Test
    void h1_requestWithoutLoginIsRejectedAlthoughTheApplicationPermitsIt() throws Exception {
        assertThat(get("nobody", "/api/v1/session").statusCode()).isEqualTo(401);
        assertThat(get("nobody", "/api/v1/admin/records").statusCode()).isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource({"acme-vera,viewer", "acme-olga,operator", "acme-root,admin"})
    void authorityGivesTheRole(String user, String role) throws Exception {
        JsonNode session = json(get(user, "/api/v1/session"));
        assertThat(session.path("role").asString()).isEqualTo(role);
        assertThat(session.path("tenant").asString()).isEqualTo("acme");
        assertThat(session.path("csrf_token").asString()).isNotEmpty();
    }

    @Test
    void personWithoutAMappedAuthorityIsDenied() throws Exception {
        assertThat(get("acme-bob", "/api/v1/session").statusCode()).isEqualTo(403);
        HttpResponse<String> records = get("acme-bob", "/api/v1/admin/records");
        assertThat(records.statusCode()).isEqualTo(403);
        assertThat(json(records).path("code").asString()).isEqualTo("access.denied");
    }

    @Test
    void h4_personSeesTheRecordsOfTheirTenantOnly() throws Exception {
        HttpResponse<String> records = get("acme-root", "/api/v1/admin/records");
        assertThat(records.statusCode()).isEqualTo(200);
        assertThat(records.body()).contains("acme").doesNotContain("globex");
        assertThat(get("acme-root", "/api/v1/admin/records?tenant=globex").statusCode())
                .isEqualTo(403);
    }

    @Test
    void viewersSeeNoPayloadsUnlessThePropertySaysSo() throws Exception {
        assertThat(shownToViewer(context).path("contents_hidden").asBoolean()).isTrue();
        assertThat(shownToViewer(context).has("result")).isFalse();
        try (ConfigurableApplicationContext other = application("semel.console.viewers-see-payloads=true")) {
            assertThat(shownToViewer(other).path("contents_hidden").asBoolean()).isFalse();
            assertThat(shownToViewer(other).path("result").asString()).contains("done");
        }
    }

    private static JsonNode shownToViewer(ConfigurableApplicationContext of) throws Exception {
        String id = json(send(browser(), request(of, "acme-vera", "/api/v1/admin/records")))
                .path("records")
                .path(0)
                .path("id")
                .asString();
        return json(send(browser(), request(of, "acme-vera", "/api/v1/admin/records/" + id)));
    }

    @Test
    void h2_changeNeedsTheTokenOfSpringSecurityAndTheHeaderOfTheConsole() throws Exception {
        HttpClient browser = browser();
        JsonNode session = json(send(browser, request("acme-root", "/api/v1/session")));
        String header = session.path("csrf_header").asString();
        String token = session.path("csrf_token").asString();
        String path = "/api/v1/admin/modes";
        assertThat(send(browser, post("acme-root", path, MODE)).statusCode()).isEqualTo(403);
        assertThat(send(browser, post("acme-root", path, MODE, "X-Semel-Console", "1"))
                        .statusCode())
                .isEqualTo(403);
        HttpResponse<String> bare = send(browser, post("acme-root", path, MODE, header, token));
        assertThat(bare.statusCode()).isEqualTo(403);
        assertThat(bare.body()).contains("X-Semel-Console");
        HttpResponse<String> foreign = send(
                browser,
                post("acme-root", path, MODE, header, token, "X-Semel-Console", "1", "Sec-Fetch-Site", "cross-site"));
        assertThat(foreign.statusCode()).isEqualTo(403);
        assertThat(foreign.body()).contains("another site");
        HttpResponse<String> own = send(
                browser,
                post("acme-root", path, MODE, header, token, "X-Semel-Console", "1", "Sec-Fetch-Site", "same-origin"));
        assertThat(own.statusCode()).as(own.body()).isEqualTo(200);
        HttpResponse<String> viewer =
                send(browser, post("acme-vera", path, MODE, header, token, "X-Semel-Console", "1"));
        assertThat(viewer.statusCode()).as(viewer.body()).isEqualTo(403);
    }

    @Test
    void h2_noGetChangesState() throws Exception {
        assertThat(get("acme-root", "/api/v1/admin/reload").statusCode()).isEqualTo(405);
        assertThat(get("acme-root", "/api/v1/admin/modes").statusCode()).isEqualTo(200);
    }
}
