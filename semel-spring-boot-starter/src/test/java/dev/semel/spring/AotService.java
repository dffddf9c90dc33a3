package dev.semel.spring;

import java.net.http.HttpResponse;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The application of {@link AotTest}. Started by its generated code it judges itself, and its exit code says how. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({AotService.Orders.class, AotService.Payments.class})
class AotService {
    static final int WORKS = 42;

    record Order(String id) {}

    @RestController
    static class Orders {
        private final JdbcTemplate jdbc;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @PostMapping("/orders")
        @Transactional
        public Order place(@RequestBody Order order) {
            jdbc.update("INSERT INTO effect (id) VALUES (?)", order.id());
            return order;
        }
    }

    @Service
    static class Payments {
        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(value = "charge", key = "#order.id")
        @Transactional
        public Order charge(Order order) {
            jdbc.update("INSERT INTO effect (id) VALUES (?)", order.id());
            return order;
        }
    }

    public static void main(String[] arguments) {
        ConfigurableApplicationContext context = SpringApplication.run(AotService.class, arguments);
        if (AotDetector.useGeneratedArtifacts()) {
            Runtime.getRuntime().halt(works(context) ? WORKS : 1);
        }
    }

    private static boolean works(ConfigurableApplicationContext context) {
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE effect (id TEXT)");
        Web web = Web.of(context);
        HttpResponse<String> first = web.post("/orders", "k-1", "{\"id\":\"o-1\"}");
        HttpResponse<String> second = web.post("/orders", "k-1", "{\"id\":\"o-1\"}");
        Payments payments = context.getBean(Payments.class);
        Order charged = payments.charge(new Order("p-1"));
        Order again = payments.charge(new Order("p-1"));
        Integer effects = jdbc.queryForObject("SELECT count(*) FROM effect", Integer.class);
        System.err.println(first + first.body() + " " + second + second.body() + " " + charged + again + effects);
        return first.statusCode() == 200
                && second.body().equals(first.body())
                && second.headers().firstValue("Idempotency-Replayed").isPresent()
                && charged.equals(again)
                && effects != null
                && effects == 2;
    }
}
