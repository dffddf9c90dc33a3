package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;

class SemelAutoConfigurationTest {
    private static final Operation.Atomic<String, String> ECHO = Operation.atomic("echo", String.class, String.class);

    private final ApplicationContextRunner bare =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class));
    private final ApplicationContextRunner inDataSource = bare.withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + Databases.SQLITE.fresh());
    private final ApplicationContextRunner inMemory = bare.withPropertyValues("semel.store=memory:");

    @Configuration(proxyBeanMethods = false)
    static class TwoSources {
        @Bean
        DataSource first() {
            return new DriverManagerDataSource(Databases.SQLITE.fresh());
        }

        @Bean
        DataSource second() {
            return new DriverManagerDataSource(Databases.SQLITE.fresh());
        }

        @Bean
        PlatformTransactionManager manager(@Qualifier("second") DataSource second) {
            return new JdbcTransactionManager(second);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnePrimary {
        @Bean
        @Primary
        DataSource first() {
            return new TransactionAwareDataSourceProxy(new DriverManagerDataSource(Databases.SQLITE.fresh()));
        }

        @Bean
        PlatformTransactionManager manager(DataSource first) {
            return new JdbcTransactionManager(first);
        }

        @Bean
        DataSource second() {
            return new DriverManagerDataSource(Databases.SQLITE.fresh());
        }
    }

    private static Answer<String> echo(Semel semel) {
        return semel.run(ECHO, Call.of(Tenant.SINGLE, Key.of("k"), "hello"), (payload, tx) -> payload);
    }

    static void assertFaults(Throwable failure, String... faults) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(failure);
        assertThat(root).isInstanceOfSatisfying(SemelException.Misconfigured.class, e -> {
            assertThat(e.faults()).hasSize(faults.length);
            for (int i = 0; i < faults.length; i++) {
                assertThat(e.faults().get(i)).contains(faults[i]);
            }
        });
    }

    @Test
    void ledgerIsInTheDataSource() {
        inDataSource.run(context -> {
            assertThat(context).hasSingleBean(Semel.class).hasSingleBean(Operator.class);
            assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class);
            assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Replayed.class);
            assertThat(context.getBean(EngineOpener.OpenedEngine.class).transactions())
                    .isNotNull();
        });
    }

    @Test
    void ledgerUsesItsOwnStoreIfOneIsConfigured() {
        inMemory.run(context -> {
            assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class);
            assertThat(context.getBean(EngineOpener.OpenedEngine.class).transactions())
                    .isNull();
        });
    }

    @Test
    void starterCanBeDisabled() {
        bare.withPropertyValues("semel.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(Semel.class));
    }

    @Test
    void engineOfTheApplicationsOwnIsUsedInstead() {
        bare.withBean(Semel.class, () -> Semel.open("memory:")).run(context -> {
            assertThat(context).hasSingleBean(Semel.class).doesNotHaveBean(EngineOpener.OpenedEngine.class);
            assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class);
        });
    }

    @Test
    void missingDataSourceNamesTheSettings() {
        bare.run(context -> assertFaults(context.getStartupFailure(), "semel.store=sqlite:semel.db"));
    }

    @Test
    void twoDataSourcesNeedAName() {
        bare.withUserConfiguration(TwoSources.class)
                .run(context -> assertFaults(
                        context.getStartupFailure(), "several data sources (first, second) and none is primary"));
        bare.withUserConfiguration(TwoSources.class)
                .withPropertyValues("semel.expert.data-source=third")
                .run(context -> assertFaults(context.getStartupFailure(), "known names: first, second"));
        bare.withUserConfiguration(TwoSources.class)
                .withPropertyValues("semel.expert.data-source=second")
                .run(context -> assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class));
        bare.withUserConfiguration(OnePrimary.class)
                .run(context -> assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class));
    }

    @Test
    void everyFaultOfTheSettingsIsNamedAtOnce() {
        inDataSource
                .withPropertyValues(
                        "semel.store=memory:",
                        "semel.expert.data-source=dataSource",
                        "semel.expert.transaction-manager=transactionManager",
                        "semel.tuning.patience=-1s",
                        "semel.tuning.concurrency=0",
                        "semel.tuning.local-cache=-5",
                        "semel.policy.default.max-attempts=none",
                        "semel.policy.http.client.bakoff=none",
                        "semel.policy.kv.get.redelivery=3d",
                        "semel.policy.kv.put.redelivery=4d")
                .run(context -> assertFaults(
                        context.getStartupFailure(),
                        "semel.tuning.patience is PT-1S",
                        "semel.tuning.concurrency is 0",
                        "semel.tuning.local-cache is -5",
                        "choose one",
                        "remove semel.expert.transaction-manager",
                        "semel.policy.http.client.bakoff is not a setting",
                        "semel.policy.default.max-attempts=none",
                        "shorter than the redelivery window PT72H",
                        "shorter than the redelivery window PT96H"));
    }

    @Test
    void transactionManagerThatManagesSomethingElseIsRejected() {
        inDataSource
                .withPropertyValues("semel.expert.transaction-manager=transactionManger")
                .run(context -> assertFaults(context.getStartupFailure(), "no transaction manager has that name"));
        inDataSource
                .withPropertyValues("semel.expert.transaction-manager=dataSource")
                .run(context -> assertFaults(context.getStartupFailure(), "does not manage the ledger's data source"));
    }

    /** As a coordinator of several resources is: it has no data source of its own. */
    private static PlatformTransactionManager coordinator() {
        return new PlatformTransactionManager() {
            @Override
            public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
                throw new IllegalStateException("Not for this test.");
            }

            @Override
            public void commit(TransactionStatus status) {}

            @Override
            public void rollback(TransactionStatus status) {}
        };
    }

    @Test
    void e12_withoutATransactionManagerOfTheLedgersDataSourceItDoesNotStart() {
        DataSource elsewhere = new DriverManagerDataSource(Databases.SQLITE.fresh());
        ApplicationContextRunner unmanaged =
                bare.withBean(DataSource.class, () -> new DriverManagerDataSource(Databases.SQLITE.fresh()));
        unmanaged.run(context -> assertFaults(
                context.getStartupFailure(),
                "the data source of the ledger has no transaction manager; there is no PlatformTransactionManager"));
        unmanaged
                .withBean("theirs", PlatformTransactionManager.class, () -> new JdbcTransactionManager(elsewhere))
                .withBean("jta", PlatformTransactionManager.class, SemelAutoConfigurationTest::coordinator)
                .run(context -> {
                    assertFaults(
                            context.getStartupFailure(),
                            "do not work on that data source alone: theirs" + " (JdbcTransactionManager), jta (");
                    assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessageContaining("Declare a JdbcTransactionManager bean");
                });
    }

    @Test
    void policiesComeFromBeansAndProperties() {
        inMemory.withBean(
                        Policy.class,
                        () -> Policy.named("mine").withMaxAttempts(2).build())
                .withPropertyValues(
                        "semel.policy.http.client.max-attempts=9",
                        "semel.policy.theirs.extends=http.client",
                        "semel.policy.theirs.retention=payments")
                .run(context -> {
                    var catalogue =
                            context.getBean(EngineOpener.OpenedEngine.class).catalogue();
                    assertThat(catalogue.get("mine").retry().maxAttempts()).isEqualTo(2);
                    assertThat(catalogue.get("http.client").retry().maxAttempts())
                            .isEqualTo(9);
                    assertThat(catalogue.get("theirs").retention()).isEqualTo(Policy.Retention.PAYMENTS);
                });
        inMemory.withBean(
                        Policy.class,
                        () -> Policy.named("mine").withMaxAttempts(2).build())
                .withPropertyValues("semel.policy.mine.extends=default", "semel.policy.mine.max-attempts=3")
                .run(context -> assertFaults(context.getStartupFailure(), "policy mine is declared twice"));
    }

    @Test
    void validateDoesNotCreateTheLedger() {
        inDataSource
                .withPropertyValues("semel.schema=validate", "spring.datasource.url=" + Databases.POSTGRESQL.fresh())
                .run(context -> assertFaults(context.getStartupFailure(), "there is no ledger in schema"));
    }

    @Test
    void connectionsThatWouldLoseCommitsAreRejected() {
        inDataSource
                .withPropertyValues("spring.datasource.url=" + Databases.SQLITE.fresh() + "?synchronous=NORMAL")
                .run(context -> assertFaults(context.getStartupFailure(), "synchronous=NORMAL"));
        inDataSource
                .withPropertyValues("spring.datasource.url=jdbc:sqlite::memory:")
                .run(context -> assertFaults(context.getStartupFailure(), "in memory, which forgets everything"));
    }

    @Test
    void itRunsWithoutMicrometerActuatorAndTheRestOfBoot() {
        inDataSource
                .withClassLoader(new FilteredClassLoader(
                        "io.micrometer",
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.orm",
                        "org.springframework.web",
                        "jakarta"))
                .run(context -> assertThat(echo(context.getBean(Semel.class))).isInstanceOf(Answer.Executed.class));
    }

    /** Each by itself, with everything that the starter configures. */
    @Test
    void optionalDependenciesMayBeAbsent() {
        var all = inDataSource.withConfiguration(AutoConfigurations.of(
                SemelMetricsAutoConfiguration.class,
                SemelFlywayAutoConfiguration.class,
                SemelActuatorAutoConfiguration.class,
                SemelHttpAutoConfiguration.class,
                SemelClientAutoConfiguration.class));
        for (String absent : new String[] {
            "io.micrometer.core",
            "io.micrometer.observation",
            "org.flywaydb",
            "org.springframework.boot.actuate",
            "org.springframework.boot.health",
            "org.springframework.orm",
            "org.springframework.security",
            "org.springframework.web.servlet",
            "org.springframework.web.reactive",
            "org.springframework.web",
            "jakarta.servlet",
            "reactor"
        }) {
            all.withClassLoader(new FilteredClassLoader(absent)).run(context -> {
                assertThat(context).as(absent).hasNotFailed();
                assertThat(echo(context.getBean(Semel.class)).isResult())
                        .as(absent)
                        .isTrue();
            });
        }
    }

    @Test
    void failureReportHasOneLinePerFault() {
        var analysis = new MisconfiguredAnalyzer()
                .analyze(new IllegalStateException(
                        new SemelException.Misconfigured("Semel's settings", java.util.List.of("a is b: use c", "d"))));
        assertThat(analysis.getDescription())
                .isEqualTo("Semel's settings: 2 configuration faults:\n\n  - a is b: use c\n  - d");
        assertThat(analysis.getAction()).contains("each line says how");
    }

    @Test
    void tooOldJacksonAnnotationsAreNamedWithTheVersionToSet() {
        assertThat(JsonCheck.fault()).isEmpty();
        assertThat(JsonCheck.fault(() -> {
                    throw new NoClassDefFoundError("com/fasterxml/jackson/annotation/JsonApplyView");
                }))
                .hasValueSatisfying(fault -> assertThat(fault)
                        .contains("JsonApplyView", "Set com.fasterxml.jackson.core:jackson-annotations"));
    }
}
