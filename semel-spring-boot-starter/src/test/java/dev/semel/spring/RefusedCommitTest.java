package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.testkit.Await;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A marked transaction whose COMMIT the database refuses, in a handler that catches that and goes on. */
@Timeout(180)
class RefusedCommitTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RestController
    static class TestController {
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;
        private final TransactionTemplate apart;
        private final String url;

        TestController(
                JdbcTemplate jdbc, PlatformTransactionManager manager, @Value("${spring.datasource.url}") String url) {
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(manager);
            this.apart = new TransactionTemplate(manager);
            this.apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            this.url = url;
        }

        @PostMapping("/outermost/{key}")
        String outermost(@PathVariable String key) {
            return goOnAfter(() -> transaction.executeWithoutResult(status -> writeInVain(key)), key);
        }

        /** The transaction inside is held instead of marked. */
        @PostMapping("/inside/{key}")
        String inside(@PathVariable String key) {
            return String.valueOf((Object) transaction.execute(
                    status -> goOnAfter(() -> apart.executeWithoutResult(inner -> writeInVain(key)), key)));
        }

        private void writeInVain(String key) {
            jdbc.update("INSERT INTO effect (name, owner) VALUES (?, 'nobody')", key);
        }

        private String goOnAfter(Runnable refused, String key) {
            String why = "";
            try {
                refused.run();
            } catch (RuntimeException e) {
                why = e.getClass().getSimpleName();
            }
            boolean renewed = isRenewedFrom(leaseEnd());
            transaction.executeWithoutResult(
                    status -> jdbc.update("INSERT INTO effect (name, owner) VALUES (?, 'somebody')", key));
            return why + (renewed ? ", renewed" : ", not renewed");
        }

        private boolean isRenewedFrom(long before) {
            return Await.within(PATIENCE, () -> leaseEnd() != before);
        }

        /** By a connection that nobody watches. */
        private long leaseEnd() {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT max(at) FROM semel_record")) {
                row.next();
                return row.getLong(1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(TestController.class)
    static class Application {}

    private static ConfigurableApplicationContext start(Databases database, boolean translated) {
        String url = database.fresh();
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + url + (database == Databases.SQLITE ? "?foreign_keys=true" : ""),
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.dao.exceptiontranslation.enabled=" + translated,
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Databases.JPA + "," + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.lease=10s")
                .run();
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        jdbc.execute("CREATE TABLE owner (name VARCHAR(100) PRIMARY KEY)");
        jdbc.execute("CREATE TABLE effect (name VARCHAR(100) NOT NULL,"
                + " owner VARCHAR(100) NOT NULL REFERENCES owner (name) DEFERRABLE INITIALLY DEFERRED)");
        jdbc.update("INSERT INTO owner (name) VALUES ('somebody')");
        return context;
    }

    /** Spring tells a failed commit as a rollback or, where it does not know the error, as a commit that failed. */
    @ParameterizedTest
    @CsvSource({
        "SQLITE, outermost, true",
        "SQLITE, outermost, false",
        "POSTGRESQL, outermost, true",
        "POSTGRESQL, outermost, false",
        "POSTGRESQL, inside, true",
        "POSTGRESQL, inside, false"
    })
    void theLeaseIsRenewedAfterACommitThatWasRefused(Databases database, String path, boolean translated) {
        try (ConfigurableApplicationContext context = start(database, translated)) {
            HttpResponse<String> answer = Web.of(context).post("/" + path + "/k", "k", null);
            String told = database == Databases.POSTGRESQL && translated
                    ? "DataIntegrityViolationException"
                    : "TransactionSystemException";
            assertThat(answer.body()).isEqualTo(told + ", renewed");
            HttpResponse<String> again = Web.of(context).post("/" + path + "/k", "k", null);
            assertThat(again.body()).isEqualTo(answer.body());
            assertThat(again.headers().firstValue("Idempotency-Replayed")).hasValue("true");
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("SELECT count(*) FROM effect", Integer.class))
                    .isEqualTo(1);
        }
    }

    /** SQLite leaves the transaction open; a pool would hand it on, and meanwhile nobody could write. */
    @ParameterizedTest
    @EnumSource(Databases.class)
    void atomicOperationWhoseCommitIsRejectedLeavesNoTransactionOpen(Databases database) {
        Operation.Atomic<String, String> pay = Operation.atomic("pay", String.class, String.class);
        try (ConfigurableApplicationContext context = start(database, true)) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            Semel semel = context.getBean(Semel.class);
            for (String owner : List.of("nobody", "somebody")) {
                Call<String> call = Call.of(Tenant.SINGLE, Key.of(owner), owner);
                Answer<String> answer = semel.run(pay, call, (name, tx) -> {
                    jdbc.update("INSERT INTO effect (name, owner) VALUES ('atomic', ?)", name);
                    return "paid";
                });
                assertThat(answer.isResult()).as(answer.toString()).isEqualTo(owner.equals("somebody"));
            }
            assertThat(jdbc.queryForObject("SELECT count(*) FROM effect", Integer.class))
                    .isEqualTo(1);
        }
    }
}
