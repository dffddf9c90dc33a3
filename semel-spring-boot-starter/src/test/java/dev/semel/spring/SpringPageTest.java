package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.Key;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What the pages show of Spring, run. */
class SpringPageTest {
    record Order(String id, String item) {}

    record Mail(String order) {}

    @RestController
    static class Orders {
        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        // region place
        @PostMapping("/orders")
        @Transactional
        public Order place(@RequestBody Order order) {
            jdbc.update("INSERT INTO orders (id, item) VALUES (?, ?)", order.id(), order.item());
            return order;
        }
        // endregion
    }

    @Service
    static class Payments {
        private final JdbcTemplate jdbc;
        private final AtomicContext tx;

        Payments(JdbcTemplate jdbc, AtomicContext tx) {
            this.jdbc = jdbc;
            this.tx = tx;
        }

        // region method
        @Idempotent(value = "charge", key = "#order.id")
        @Transactional
        public int charge(Order order) {
            jdbc.update("INSERT INTO payment (id) VALUES (?)", order.id());
            tx.send(MAIL, Key.of(order.id()), new Mail(order.id()));
            return 42;
        }
        // endregion

        // region channel
        @SemelChannel("mail")
        @Transactional
        public void mail(Mail mail) {
            jdbc.update("INSERT INTO mail (id) VALUES (?)", mail.order());
        }
        // endregion
    }

    static final Channel.Atomic<Mail> MAIL = Channel.atomic("mail", Mail.class);

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Orders.class, Payments.class})
    static class Application {
        @Bean
        SecurityFilterChain security(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        InitializingBean tables(JdbcTemplate jdbc) {
            return () -> {
                for (String table : List.of("orders", "payment", "mail")) {
                    jdbc.execute("CREATE TABLE " + table + " (id TEXT, item TEXT)");
                }
            };
        }
    }

    @Test
    void snippetsOfThePagesRun() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.security.user.name=ann",
                        "spring.security.user.password=secret",
                        "spring.autoconfigure.exclude=" + Databases.JPA)
                .run()) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Web web = new Web(
                    Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), "ann");
            String order = "{\"id\":\"o-1\",\"item\":\"book\"}";
            HttpResponse<String> first = web.post("/orders", "k-1", order);
            HttpResponse<String> second = web.post("/orders", "k-1", order);
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(second.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            assertThat(web.post("/orders", null, order).statusCode()).isEqualTo(400);
            assertThat(rows(jdbc, "orders")).isEqualTo(1);

            Payments payments = context.getBean(Payments.class);
            assertThat(payments.charge(new Order("o-1", "book"))).isEqualTo(42);
            assertThat(payments.charge(new Order("o-1", "book"))).isEqualTo(42);
            assertThat(rows(jdbc, "payment")).isEqualTo(1);
            ShopSuite.eventually(() -> rows(jdbc, "mail") == 1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Empty {}

    @Test
    void projectWithoutAuthenticationNeedsOneSetting() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Empty.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true")
                .run()) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE orders (id TEXT, item TEXT)");
            Web web = new Web(
                    Integer.parseInt(String.valueOf(context.getEnvironment().getProperty("local.server.port"))), null);
            String order = "{\"id\":\"o-1\",\"item\":\"book\"}";
            assertThat(web.post("/orders", "k-1", order).statusCode()).isEqualTo(200);
            assertThat(web.post("/orders", "k-1", order).headers().firstValue("Idempotency-Replayed"))
                    .hasValue("true");
            assertThat(rows(jdbc, "orders")).isEqualTo(1);
        }
    }

    private static int rows(JdbcTemplate jdbc, String table) {
        Integer count = jdbc.queryForObject("SELECT count(*) FROM " + table, Integer.class);
        return count == null ? 0 : count;
    }
}
