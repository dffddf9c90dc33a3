package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.EntityManagerFactory;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;

/** A transaction of JPA that writes only when it is committed has written; one that is read-only has not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JpaMarkerSuite {
    private final Databases database;
    private ConfigurableApplicationContext context;
    private JpaMarkerController controller;
    private Web web;

    @SuppressWarnings("NullAway.Init")
    JpaMarkerSuite(Databases database) {
        this.database = database;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        JpaMarkerController controller(EntityManagerFactory factory, PlatformTransactionManager manager) {
            return new JpaMarkerController(SharedEntityManagerCreator.createSharedEntityManager(factory), manager);
        }
    }

    @BeforeAll
    void start() {
        context = new SpringApplicationBuilder(Application.class)
                .properties(
                        "server.port=0",
                        "spring.datasource.url=" + database.fresh(),
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.jpa.hibernate.ddl-auto=create",
                        "spring.main.banner-mode=off",
                        "spring.autoconfigure.exclude=" + Web.SECURITY,
                        "semel.http.anonymous=true",
                        "semel.policy.api.request.backoff=none")
                .run();
        controller = context.getBean(JpaMarkerController.class);
        web = Web.of(context);
    }

    @AfterAll
    void stop() {
        context.close();
    }

    private HttpResponse<String> post(String path) {
        return web.post("/jpa/" + path + "/" + path, path, null);
    }

    @Test
    void managerIsThatOfJpa() {
        assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"changed", "persisted", "changed-at-the-commit"})
    void flushAtCommitIsMarkedAndALaterFailureIsUnknown(String path) {
        controller.add(path);
        assertThat(post(path).statusCode()).isEqualTo(500);
        assertThat(controller.marked(path)).isTrue();
        assertUnknown(path);
    }

    @Test
    void innerTransactionMakesAFailureUnknown() {
        controller.add("changed-apart");
        assertThat(post("changed-apart").statusCode()).isEqualTo(500);
        assertUnknown("changed-apart");
    }

    private void assertUnknown(String path) {
        HttpResponse<String> again = post(path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(409);
        assertThat(again.body()).contains("idempotency.outcome_unknown");
        assertThat(controller.runs(path)).isEqualTo(1);
        assertThat(controller.count(path + "-renamed")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"changed-read-only", "read", "rolled-back"})
    void e11_aTransactionThatWritesNothingIsNotMarkedAndTheRequestIsRunAgain(String path) {
        controller.add(path);
        assertThat(post(path).statusCode()).isEqualTo(500);
        assertThat(controller.marked(path)).isFalse();
        HttpResponse<String> again = post(path);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
        assertThat(again.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(controller.runs(path)).isEqualTo(2);
        assertThat(controller.count(path)).isEqualTo(1);
    }
}
