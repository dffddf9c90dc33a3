package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Names and values of the properties: typos are refused at the start, all of them in one report. */
class PropertyCheckTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");

    private static ApplicationContextInitializer<ConfigurableApplicationContext> environment(
            Map<String, Object> variables) {
        String name = "systemEnvironment";
        return context -> context.getEnvironment()
                .getPropertySources()
                .replace(name, new SystemEnvironmentPropertySource(name, variables));
    }

    private static int attempts(ConfigurableApplicationContext context, String policy) {
        return context.getBean(EngineOpener.OpenedEngine.class)
                .catalogue()
                .get(policy)
                .retry()
                .maxAttempts();
    }

    @Test
    void misspeltNameIsRejectedWithASuggestion() {
        runner.withPropertyValues("semel.http.tuning.largest-requests=1MB", "semel.shema=validate")
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "semel.http.tuning.largest-requests is not a property of Semel; perhaps"
                                + " semel.http.tuning.largest-request ",
                        "semel.shema is not a property of Semel; perhaps semel.schema "));
    }

    @Test
    void allKindsOfFaultsAreReportedTogether() {
        runner.withPropertyValues(
                        "semel.htp.keys=optional",
                        "semel.tuning.patience=soon",
                        "semel.tuning.concurrency=many",
                        "semel.http.keys=sometimes",
                        "semel.tuning.local-cache=-1",
                        "semel.policy.default.max-atempts=3",
                        "semel.http.level=marker",
                        "semel.http.tuning.policy=no.such")
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "semel.htp.keys is not a property of Semel; perhaps semel.http.keys ",
                        "semel.http.keys is \"sometimes\": use required or optional or annotated",
                        "semel.tuning.concurrency is \"many\": use a whole number",
                        "semel.tuning.patience is \"soon\": use a duration",
                        "semel.tuning.local-cache is -1",
                        "semel.policy.default.max-atempts is not a setting; perhaps max-attempts",
                        "semel.http.level is MARKER"));
    }

    @Test
    void namesAreRelaxed() {
        runner.withPropertyValues(
                        "semel.tuning.localCache=10",
                        "SEMEL.TUNING.LARGESTVALUE=2MB",
                        "semel.http.tuning.replayed-headers[0]=X-One",
                        "semel.http.tuning.largest_request=1MB",
                        "semel.policy.default.MAXATTEMPTS=7",
                        "semel.policy.http.client.maxAttempts=8",
                        "semel.policy.crm.writeback.max_attempts=9")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(SemelProperties.class).tuning().localCache())
                            .isEqualTo(10);
                    assertThat(attempts(context.getSourceApplicationContext(), "default"))
                            .isEqualTo(7);
                    assertThat(attempts(context.getSourceApplicationContext(), "http.client"))
                            .isEqualTo(8);
                    assertThat(attempts(context.getSourceApplicationContext(), "crm.writeback"))
                            .isEqualTo(9);
                });
    }

    @Test
    void twoPoliciesWhoseNamesAreTheSameWhenRelaxedAreRejectedWithBothNames() {
        runner.withPropertyValues(
                        "semel.policy.my-policy.extends=default",
                        "semel.policy.my-policy.max-attempts=3",
                        "semel.policy.mypolicy.extends=default",
                        "semel.policy.mypolicy.max-attempts=9",
                        "semel.policy.one.extends=default",
                        "semel.policy.One.extends=default")
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "semel.policy.my-policy and semel.policy.mypolicy are the same name",
                        "semel.policy.One and semel.policy.one are the same name"));
    }

    @Test
    void policyThatShipsMayBeSpeltInTwoWays() {
        runner.withPropertyValues(
                        "semel.policy.nats.stream-create.max-attempts=6", "semel.policy.nats.streamCreate.backoff=none")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(attempts(context.getSourceApplicationContext(), "nats.stream-create"))
                            .isEqualTo(6);
                });
    }

    @Test
    void environmentVariablesAreRelaxedAndComeBeforeFiles() {
        runner.withPropertyValues("semel.policy.kv.get.max-attempts=4")
                .withInitializer(environment(Map.of(
                        "SEMEL_TUNING_LOCAL_CACHE", "11",
                        "SEMEL_POLICY_DEFAULT_MAXATTEMPTS", "7",
                        "SEMEL_POLICY_NATS_STREAM_CREATE_MAX_ATTEMPTS", "6",
                        "SEMEL_MODE", "live",
                        "SEMEL_SERVICE_HOST", "10.0.0.1",
                        "SEMEL_PORT_5432_TCP_ADDR", "10.0.0.1")))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(SemelProperties.class).tuning().localCache())
                            .isEqualTo(11);
                    assertThat(attempts(context.getSourceApplicationContext(), "default"))
                            .isEqualTo(7);
                    assertThat(attempts(context.getSourceApplicationContext(), "nats.stream-create"))
                            .isEqualTo(6);
                    assertThat(attempts(context.getSourceApplicationContext(), "kv.get"))
                            .isEqualTo(4);
                });
    }

    @Test
    void environmentVariableOfARouteIsKnown() {
        runner.withInitializer(environment(Map.of(
                        "SEMEL_HTTP_EXCLUDE_0", "/internal/**",
                        "SEMEL_HTTP_ROUTES_0_PATH", "/orders",
                        "SEMEL_HTTP_ROUTES_0_TUNING_PATIENCE", "2s")))
                .run(context -> assertThat(context.getStartupFailure()).isNull());
        runner.withInitializer(environment(Map.of("SEMEL_HTTP_ROUTES_0_PTH", "/orders")))
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "SEMEL_HTTP_ROUTES_0_PTH is not a property of Semel; perhaps semel.http.routes[].path"));
    }

    @Test
    void environmentVariableOfTheApplicationIsAccepted() {
        runner.withInitializer(environment(Map.of("SEMEL_DB_PASSWORD", "secret")))
                .run(context -> assertThat(context.getStartupFailure()).isNull());
    }

    @Test
    void misspeltEnvironmentVariableIsRejected() {
        runner.withInitializer(environment(Map.of("SEMEL_HTTP_KEY", "optional")))
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "SEMEL_HTTP_KEY is not a property of Semel; perhaps semel.http.keys "));
    }
}
