package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.semel.http.Hooks;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Data sources of all kinds are watched, and stay what they are; of those that cannot be, nothing is claimed. */
class WatchedDataSourcesTest {

    @RestController
    static class TestController {
        private final ApplicationContext context;
        private final AtomicInteger runs = new AtomicInteger();

        TestController(ApplicationContext context) {
            this.context = context;
        }

        @PostMapping("/writes/{key}")
        String writes(@PathVariable String key) throws SQLException {
            try (Connection connection =
                            context.getBean("other", DataSource.class).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO effect (name) VALUES ('" + key + "')");
            }
            return failing();
        }

        @PostMapping("/nothing/{key}")
        String nothing(@PathVariable String key) {
            return failing();
        }

        private String failing() {
            if (runs.incrementAndGet() == 1) {
                throw new IllegalStateException("the first run fails");
            }
            return "done";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TestController.class)
    static class Application {}

    private static DataSource made() {
        HikariDataSource pool = DataSourceBuilder.create()
                .type(HikariDataSource.class)
                .url(Databases.SQLITE.fresh())
                .build();
        new JdbcTemplate(pool).execute("CREATE TABLE effect (name VARCHAR(100) NOT NULL)");
        return pool;
    }

    /** Another processor needs it, and it is made for that. */
    @Configuration(proxyBeanMethods = false)
    static class NeededByAProcessor {
        @Bean(defaultCandidate = false)
        static DataSource other() {
            return made();
        }

        @Bean
        static BeanPostProcessor needing(ApplicationContext context) {
            context.getBean("other");
            return new Early();
        }

        private static final class Early implements BeanPostProcessor, Ordered {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }
        }
    }

    /** It is made before any processor of beans. */
    @Configuration(proxyBeanMethods = false)
    static class MadeBeforeAll {
        @Bean(defaultCandidate = false)
        static DataSource other() {
            return made();
        }

        @Bean
        static BeanFactoryPostProcessor making() {
            return beans -> beans.getBean("other");
        }
    }

    /** Of a class that cannot be extended, and asked for by that. */
    @Configuration(proxyBeanMethods = false)
    static class Final {
        @Bean(defaultCandidate = false)
        FinalDataSource other() {
            return new FinalDataSource(made());
        }

        @Bean
        String holder(@Qualifier("other") FinalDataSource other) {
            return other.toString();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FinalByInterface {
        @Bean(defaultCandidate = false)
        DataSource other() {
            return new FinalDataSource(made());
        }
    }

    /** As Hikari's, with a method that cannot be replaced. */
    @Configuration(proxyBeanMethods = false)
    static class FinalMethod {
        @Bean(defaultCandidate = false)
        WithFinalMethod other() {
            return new WithFinalMethod(made());
        }
    }

    static class WithFinalMethod extends org.springframework.jdbc.datasource.DelegatingDataSource {
        WithFinalMethod(DataSource target) {
            super(target);
        }

        @Override
        public final Connection getConnection() throws SQLException {
            return super.getConnection();
        }
    }

    private record FinalDataSource(DataSource target) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return target.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return target.getConnection(user, password);
        }

        @Override
        public PrintWriter getLogWriter() throws SQLException {
            return target.getLogWriter();
        }

        @Override
        public void setLogWriter(PrintWriter out) throws SQLException {
            target.setLogWriter(out);
        }

        @Override
        public void setLoginTimeout(int seconds) throws SQLException {
            target.setLoginTimeout(seconds);
        }

        @Override
        public int getLoginTimeout() throws SQLException {
            return target.getLoginTimeout();
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            return target.getParentLogger();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return target.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return target.isWrapperFor(type);
        }
    }

    private static SpringApplicationBuilder with(Class<?>... sources) {
        return new SpringApplicationBuilder(Application.class)
                .sources(sources)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + Databases.SQLITE.fresh(),
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.backoff=none");
    }

    private static void assertUnknown(Web web, String path) {
        assertThat(web.post(path, "k-1", null).statusCode()).isEqualTo(500);
        HttpResponse<String> again = web.post(path, "k-1", null);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                NeededByAProcessor.class,
                MadeBeforeAll.class,
                Final.class,
                FinalByInterface.class,
                FinalMethod.class
            })
    void aFailureAfterAWriteToAnyDataSourceIsUnknown(Class<?> source) {
        try (ConfigurableApplicationContext context = with(source).run()) {
            assertUnknown(Web.of(context), "/writes/1");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {NeededByAProcessor.class, FinalByInterface.class})
    void watchedFailureWithoutEffectIsRetried(Class<?> source) {
        try (ConfigurableApplicationContext context = with(source).run()) {
            Web web = Web.of(context);
            assertThat(web.post("/nothing/1", "k-1", null).statusCode()).isEqualTo(500);
            assertThat(web.post("/nothing/1", "k-1", null).body()).isEqualTo("done");
        }
    }

    @Test
    void dataSourceInAParentContextMakesFailuresUnknown() {
        try (ConfigurableApplicationContext parent = new SpringApplicationBuilder(FinalByInterface.class)
                        .web(org.springframework.boot.WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off")
                        .run();
                ConfigurableApplicationContext context = with().parent(parent).run()) {
            assertUnknown(Web.of(context), "/writes/1");
        }
    }

    /** A pool that is bound to properties and asked for by its class. */
    @Configuration(proxyBeanMethods = false)
    static class Pool {
        @Bean
        @ConfigurationProperties("orders.pool")
        HikariDataSource dataSource() {
            return DataSourceBuilder.create()
                    .type(HikariDataSource.class)
                    .url(Databases.SQLITE.fresh())
                    .build();
        }

        @Bean
        Integer size(HikariDataSource pool) {
            return pool.getMaximumPoolSize();
        }
    }

    @Test
    void watchedPoolKeepsClassPropertiesAndMetrics() throws SQLException {
        try (ConfigurableApplicationContext context = with(Pool.class)
                .properties("orders.pool.maximum-pool-size=3", "orders.pool.pool-name=orders")
                .run()) {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            assertThat(context.getBean(Integer.class)).isEqualTo(3);
            assertThat(pool.unwrap(HikariDataSource.class).getPoolName()).isEqualTo("orders");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            try (Connection taken = pool.getConnection()) {
                assertThat(taken.isValid(1)).isTrue();
                assertThat(meters.get("hikaricp.connections.active").gauge().value())
                        .isEqualTo(1);
                assertThat(meters.get("hikaricp.connections.max").gauge().value())
                        .isEqualTo(3);
                assertThat(meters.get("jdbc.connections.active").gauge().value())
                        .isEqualTo(1);
                assertThat(meters.get("jdbc.connections.max").gauge().value()).isEqualTo(3);
            }
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEffects {
        @Bean
        SemelHttpAutoConfiguration.Customizer effects() {
            return settings -> settings.withEffects(Hooks.Effects.ONLY_MARKED);
        }
    }

    @Test
    void customizerThatDisablesTheWatchFailsTheStart() {
        assertThatThrownBy(() -> with(OwnEffects.class).run().close())
                .hasStackTraceContaining("effects is set twice: keep one of the two");
    }
}
