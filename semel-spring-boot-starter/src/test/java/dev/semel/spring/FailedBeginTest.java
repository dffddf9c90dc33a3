package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A transaction whose connection is taken late, from a pool that has none left at that moment. */
class FailedBeginTest {
    private static final AtomicInteger FAILING = new AtomicInteger();

    /** Fails as often as it is told to. */
    static class ExhaustedDataSource extends DelegatingDataSource {
        ExhaustedDataSource(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (FAILING.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new SQLTransientConnectionException("Connection is not available, request timed out");
            }
            return super.getConnection();
        }
    }

    @RestController
    static class TestController {
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;
        private final AtomicReference<String> leftBehind = new AtomicReference<>("");

        TestController(JdbcTemplate jdbc, PlatformTransactionManager manager) {
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(manager);
        }

        @PostMapping("/orders/{failing}/{key}")
        String order(@PathVariable int failing, @PathVariable String key) {
            FAILING.set(failing);
            try {
                transaction.executeWithoutResult(status -> jdbc.update("INSERT INTO effect (name) VALUES (?)", key));
            } finally {
                FAILING.set(0);
                leftBehind.set((TransactionSynchronizationManager.isActualTransactionActive() ? "a transaction " : "")
                        + TransactionSynchronizationManager.getResourceMap().values().stream()
                                .filter(each -> each.getClass().getName().contains("Holder"))
                                .filter(each -> !each.getClass().getName().contains("EntityManagerHolder"))
                                .toList());
            }
            return "ordered";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TestController.class)
    static class Application {
        @Bean
        ExhaustedDataSource exhausted(@Value("${test.url}") String url) {
            HikariDataSource pool = DataSourceBuilder.create()
                    .type(HikariDataSource.class)
                    .url(url)
                    .build();
            pool.setMaximumPoolSize(4);
            pool.setAutoCommit(!url.contains("postgresql"));
            return new ExhaustedDataSource(pool);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lazy {
        @Bean
        @Primary
        DataSource dataSource(ExhaustedDataSource exhausted) {
            return new LazyConnectionDataSourceProxy(exhausted);
        }
    }

    private static ConfigurableApplicationContext start(Databases database, boolean jpa) {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class);
        if (!jpa) {
            builder.sources(Lazy.class);
        }
        ConfigurableApplicationContext context = builder.properties(
                        "server.port=0",
                        "test.url=" + database.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.jpa.open-in-view=false",
                        "spring.jpa.properties.hibernate.connection.provider_disables_autocommit=true",
                        "spring.autoconfigure.exclude=" + (jpa ? "" : Databases.JPA + ",") + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.backoff=none")
                .run();
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> context.getBean(JdbcTemplate.class)
                        .execute("CREATE TABLE effect (name VARCHAR(100) NOT NULL)"));
        return context;
    }

    private static int effects(ConfigurableApplicationContext context, String key) {
        Integer count = context.getBean(JdbcTemplate.class)
                .queryForObject("SELECT count(*) FROM effect WHERE name = ?", Integer.class, key);
        return count == null ? 0 : count;
    }

    @ParameterizedTest
    @CsvSource({"SQLITE, false", "POSTGRESQL, false", "POSTGRESQL, true"})
    void failedBeginLeavesNoTransactionOnTheThread(Databases database, boolean jpa) {
        try (ConfigurableApplicationContext context = start(database, jpa)) {
            Web web = Web.of(context);
            TestController controller = context.getBean(TestController.class);
            for (int failing = 1; failing <= 3; failing++) {
                String path = "/orders/" + failing + "/k-" + failing;
                HttpResponse<String> first = web.post(path, "k-" + failing, null);
                assertThat(controller.leftBehind.get()).as(path).isEqualTo("[]");
                HttpResponse<String> again = web.post(path, "k-" + failing, null);
                if (first.statusCode() == 200) {
                    assertThat(again.headers().firstValue("Idempotency-Replayed"))
                            .hasValue("true");
                    assertThat(effects(context, "k-" + failing)).as(path).isEqualTo(1);
                } else {
                    assertThat(first.statusCode()).as(first.body()).isEqualTo(500);
                    assertThat(effects(context, "k-" + failing)).as(path).isZero();
                }
                assertThat(again.statusCode()).as(again.body()).isIn(200, 500);
            }
            HttpResponse<String> next = web.post("/orders/0/next", "next", null);
            assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
            assertThat(effects(context, "next")).isEqualTo(1);
        }
    }
}
