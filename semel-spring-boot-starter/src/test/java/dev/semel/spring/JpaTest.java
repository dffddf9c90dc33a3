package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.spring.jpa.Notes;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/** What a persistence context holds back is part of an operation, and falls with it. */
class JpaTest {
    private static ConfigurableApplicationContext context;
    private static Notes notes;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Notes notes(EntityManagerFactory factory, JdbcTemplate jdbc) {
            return new Notes(SharedEntityManagerCreator.createSharedEntityManager(factory), jdbc);
        }

        @Bean
        Policy once() {
            return Policy.named("once")
                    .withMaxAttempts(1)
                    .withBackoff(new Policy.Backoff.None())
                    .build();
        }
    }

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + Databases.POSTGRESQL.fresh(),
                        "spring.datasource.hikari.maximum-pool-size=2",
                        "spring.jpa.hibernate.ddl-auto=create",
                        "spring.main.banner-mode=off",
                        "logging.level.org.hibernate=OFF")
                .run();
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE logged (text TEXT NOT NULL)");
        notes = context.getBean(Notes.class);
    }

    @AfterAll
    static void stop() {
        context.close();
    }

    @Test
    void entityAndItsRecordAreCommittedOnce() {
        assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
        assertThat(notes.note("k-1", "one", false)).isEqualTo("one");
        assertThat(notes.note("k-1", "one", false)).isEqualTo("one");
        assertThat(notes.noteWithoutTransactional("k-2", "two")).isEqualTo("two");
        assertThat(notes.noteWithoutTransactional("k-2", "two")).isEqualTo("two");
        assertThat(notes.count("one")).isEqualTo(1);
        assertThat(notes.logged("one")).isEqualTo(1);
        assertThat(notes.count("two")).isEqualTo(1);
    }

    @Test
    void exceptionRollsBackTheEntity() {
        assertThatThrownBy(() -> notes.note("k-3", "three", true)).hasMessage("after the note");
        assertThat(notes.count("three")).isZero();
        assertThat(notes.logged("three")).isZero();
    }

    @Test
    void constraintViolationFailsTheCallAndNotTheCommit() {
        notes.noteWithoutTransactional("k-4", "four");
        assertThatThrownBy(() -> notes.noteWithoutTransactional("k-5", "four"))
                .hasStackTraceContaining("unique constraint");
        assertThat(notes.count("four")).isEqualTo(1);
    }

    @Test
    void failedPartMakesTheTransactionRollbackOnly() {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    try {
                        notes.note("k-6", "six", true);
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessage("after the note");
                    }
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(notes.count("six")).isZero();
        Answer<String> outer = context.getBean(Semel.class)
                .run(
                        Operation.atomic("outer", String.class, String.class).withPolicy("once"),
                        Call.of(Tenant.SINGLE, Key.of("k-7"), "seven"),
                        (payload, tx) -> {
                            try {
                                return notes.noteWithoutTransactional("k-7", "one-more");
                            } finally {
                                swallow(() -> notes.note("k-8", "eight", true));
                            }
                        });
        assertThat(outer.isResult()).isFalse();
        assertThat(notes.count("eight")).isZero();
        assertThat(notes.count("one-more")).isZero();
    }

    private static void swallow(Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("after the note");
        }
    }

    @Test
    void joinedCallIsRecordedOnlyIfItsTransactionCommits() {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            notes.note("k-9", "nine", false);
            status.setRollbackOnly();
        });
        assertThat(notes.count("nine")).isZero();
        transaction.executeWithoutResult(status -> notes.note("k-9", "nine", false));
        notes.note("k-9", "nine", false);
        assertThat(notes.count("nine")).isEqualTo(1);
    }
}
