package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.DeadHead;
import dev.semel.Policy.Jitter;
import dev.semel.Policy.Retention;
import dev.semel.SemelException;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract's table, row by row. */
class CatalogueTest {
    private static final Catalogue SHIPPED = Catalogue.shipped();

    @ParameterizedTest
    @CsvSource({
        "default, 3, 1000, 30, 0.1, RETRY_DEFAULT",
        "slack.message, 6, 250, 30, full, RETRY_SLACK_MESSAGE",
        "crm.writeback, 7, 500, 60, full, RETRY_CRM_WRITEBACK",
        "llm.extract, 4, 300, 10, 0.5, RETRY_LLM_EXTRACT",
        "http.client, 5, 300, 5, full, RETRY_HTTP_CLIENT",
        "worker.job, 5, 1000, 60, 0.5, RETRY_WORKER_JOB",
        "nats.connect, 5, 1000, 30, 0.1, RETRY_NATS_CONNECT",
        "nats.publish, 3, 500, 10, 0.1, RETRY_NATS_PUBLISH",
        "nats.subscribe, 3, 500, 10, 0.1, RETRY_NATS_SUBSCRIBE",
        "kv.get, 3, 500, 10, 0.1, RETRY_KV_GET",
        "kv.put, 3, 500, 10, 0.1, RETRY_KV_PUT",
        "nats.stream-create, 2, 2000, 60, 0.1, RETRY_NATS_STREAM_CREATE",
        "execution.intent, 2, 2000, 60, 0.1, RETRY_EXECUTION_INTENT",
        "execution.containment, 2, 2000, 60, 0.1, RETRY_EXECUTION_CONTAINMENT",
        "approval.grant, 2, 2000, 60, 0.1, RETRY_APPROVAL_GRANT",
        "kv.create, 2, 1000, 30, 0.1, RETRY_KV_CREATE",
        "kv.delete, 2, 1000, 30, 0.1, RETRY_KV_DELETE",
        "replay.validation, 2, 1000, 30, 0.1, REPLAY_REPLAY_VALIDATION",
        "execution.expiration, 1, 1000, 30, 0.1, RETRY_EXECUTION_EXPIRATION",
        "replay.processing, 1, 1000, 30, 0.1, REPLAY_REPLAY_PROCESSING",
        "approval.check, 3, 1000, 30, 0.1, RETRY_APPROVAL_CHECK",
        "api.request, 3, 1000, 30, 0.1, RETRY_API_REQUEST",
        "api.validation, 2, 500, 10, 0.1, RETRY_API_VALIDATION"
    })
    void anEntryThatGrows(String name, int attempts, int baseMillis, int capSeconds, String jitter, String code) {
        Policy policy = SHIPPED.get(name);
        assertThat(policy.retry().maxAttempts()).isEqualTo(attempts);
        assertThat(policy.retry().backoff())
                .isEqualTo(new Backoff.Exponential(Duration.ofMillis(baseMillis), 2, Duration.ofSeconds(capSeconds)));
        assertThat(policy.retry().jitter())
                .isEqualTo(jitter.equals("full") ? new Jitter.Full() : new Jitter.Bounded(Double.parseDouble(jitter)));
        assertThat(policy.retry().maxRetryAfter()).isEqualTo(Duration.ofHours(1));
        assertThat(policy.code()).isEqualTo(code);
        assertThat(policy.options()).isEqualTo(new Policy.FailureHandling(false, true, true, DeadHead.CONTINUE));
    }

    @Test
    void acknowledgementIsTriedOnceAndIsNeverADeadLetter() {
        Policy policy = SHIPPED.get("ingress.ack");
        assertThat(policy.retry().maxAttempts()).isEqualTo(1);
        assertThat(policy.retry().backoff()).isEqualTo(new Backoff.None());
        assertThat(policy.retry().jitter()).isEqualTo(new Jitter.None());
        assertThat(policy.options().deadLetters()).isFalse();
        assertThat(policy.options().storeFailures()).isFalse();
        assertThat(policy.code()).isEqualTo("RETRY_INGRESS_ACK");
    }

    @Test
    void renderingIsTriedAfterOneAndThreeSeconds() {
        Policy policy = SHIPPED.get("pdf.render");
        assertThat(policy.retry().maxAttempts()).isEqualTo(3);
        assertThat(policy.retry().backoff())
                .isEqualTo(new Backoff.Listed(List.of(Duration.ofSeconds(1), Duration.ofSeconds(3))));
        assertThat(policy.retry().jitter()).isEqualTo(new Jitter.None());
        assertThat(policy.code()).isEqualTo("RETRY_PDF_RENDER");
    }

    @Test
    void nothingElseShips() {
        assertThat(SHIPPED.names()).hasSize(25).startsWith("default");
    }

    @ParameterizedTest
    @CsvSource({
        "payments, 30d, 7d",
        "api, 24h, 1h",
        "api.contract, 24h, 4h",
        "events, 1h, 15m",
        "saga, 7d, 24h",
        "webhooks, 30d, 30d"
    })
    void theRetentionClasses(String name, String success, String failure) {
        assertThat(Retention.classes().get(name))
                .isEqualTo(new Retention(Values.duration(success), Values.duration(failure), Duration.ofDays(30)));
    }

    @Test
    void thereAreSixRetentionClassesAndApiIsTheDefault() {
        assertThat(Retention.classes()).hasSize(6);
        assertThat(Policy.named("p").build().retention()).isEqualTo(Retention.API);
    }

    @Test
    void unknownNameIsRejectedWithTheNamesThatComeNear() {
        assertThatThrownBy(() -> SHIPPED.get("crm.writback"))
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessage("policy crm.writback: there is no policy of that name; perhaps crm.writeback is meant.");
        assertThatThrownBy(() -> SHIPPED.get("zzzzzzzzzzzz")).hasMessageContaining("the known ones are default, ");
        assertThatThrownBy(() -> SHIPPED.get("")).hasMessageContaining("the known ones are");
        assertThatThrownBy(() -> SHIPPED.get("x".repeat(100_000))).hasMessageContaining("the known ones are");
        assertThat(SHIPPED.find("nope")).isEmpty();
        assertThat(Suggestions.near("approval", SHIPPED.names())).containsExactly("approval.check", "approval.grant");
    }

    @Test
    void codeMayAddAndReplaceEntries() {
        Policy added = Policy.named("orders").withMaxAttempts(9).build();
        Policy replaced = SHIPPED.get("kv.get").toBuilder().withMaxAttempts(8).build();
        Catalogue catalogue = SHIPPED.with(List.of(added, replaced));
        assertThat(catalogue.get("orders")).isEqualTo(added);
        assertThat(catalogue.get("kv.get").retry().maxAttempts()).isEqualTo(8);
        assertThat(SHIPPED.get("kv.get").retry().maxAttempts()).isEqualTo(3);
        assertThat(SHIPPED.find("orders")).isEmpty();
    }

    @Test
    void twoPoliciesForOneNameOrOneCodeAreRejectedAtOnce() {
        Policy orders = Policy.named("orders").build();
        Policy like = Policy.named("kv-get").build();
        assertThatThrownBy(() -> SHIPPED.with(List.of(orders, orders, like)))
                .isInstanceOfSatisfying(
                        SemelException.Misconfigured.class,
                        e -> assertThat(e.faults())
                                .containsExactly(
                                        "policy orders is given twice: keep one of the two",
                                        "policies kv.get and kv-get share the code RETRY_KV_GET of audit and metrics:"
                                                + " rename one of them"));
    }

    @Test
    void dedupeWindowShorterThanTheRedeliveryWindowIsRejected() {
        Policy events = SHIPPED.get("nats.publish");
        Duration hour = Duration.ofHours(1);
        assertThat(events.toBuilder().withRedelivery(hour).build().limits().redelivery())
                .isEqualTo(hour);
        assertThatThrownBy(() ->
                        events.toBuilder().withRedelivery(hour.plusNanos(1)).build())
                .isInstanceOf(SemelException.Misconfigured.class)
                .hasMessageContaining("nats.publish")
                .hasMessageContaining("success retention PT1H is shorter than the redelivery window PT1H0.000000001S");
        Policy days = SHIPPED.get("ingress.ack").toBuilder()
                .withRedelivery(Duration.ofDays(3))
                .build();
        assertThat(days.toBuilder().withoutRedelivery().build().limits().redelivery())
                .isNull();
    }

    @Test
    void configurationsWhoseDedupeWindowsAreTooShortAreRejectedAllAtOnce() {
        Map<String, String> properties = Map.of(
                "semel.policy.kv.get.redelivery", "3d",
                "semel.policy.hooks.extends", "worker.job",
                "semel.policy.hooks.retention", "events",
                "semel.policy.hooks.redelivery", "2h",
                "semel.policy.crm.writeback.redelivery", "none");
        assertThatThrownBy(() -> Catalogue.fromProperties(properties))
                .isInstanceOfSatisfying(SemelException.Misconfigured.class, refused -> {
                    assertThat(refused.faults()).hasSize(2);
                    assertThat(refused.faults()).anyMatch(fault -> fault.contains("hooks") && fault.contains("PT2H"));
                    assertThat(refused.faults()).anyMatch(fault -> fault.contains("kv.get") && fault.contains("PT72H"));
                });
    }

    @Test
    void everyPolicyThatShipsIsAConstant() throws IllegalAccessException {
        Map<String, Policy> constants = new TreeMap<>();
        for (Field field : Policy.class.getFields()) {
            constants.put(field.getName(), (Policy) field.get(null));
        }
        Map<String, Policy> shipped = new TreeMap<>();
        for (Policy policy : Policy.shipped()) {
            shipped.put(policy.name().replaceAll("[.-]", "_").toUpperCase(Locale.ROOT), policy);
        }
        assertThat(constants).hasSize(25).isEqualTo(shipped);
        assertThat(SHIPPED.names())
                .containsExactlyElementsOf(
                        Policy.shipped().stream().map(Policy::name).toList());
    }

    @Test
    void policyThatIsCarriedNeedsNoRegistration() {
        Policy own = Policy.named("psp").withMaxAttempts(9).build();
        assertThat(SHIPPED.get(Policy.Choice.of(own))).isSameAs(own);
        assertThat(SHIPPED.get(Policy.Choice.named("http.client"))).isSameAs(Policy.HTTP_CLIENT);
        assertThatThrownBy(() -> SHIPPED.get(Policy.Choice.named("psp")))
                .isInstanceOf(SemelException.Misconfigured.class);
    }

    @Test
    void carriedPolicyMayChangeOneThatShips() {
        Policy patient = Policy.HTTP_CLIENT.toBuilder().withMaxAttempts(9).build();
        assertThat(SHIPPED.get(Policy.Choice.of(patient))).isSameAs(patient);
    }

    @Test
    void configurationWinsOverACarriedPolicy() {
        Catalogue configured = SHIPPED.withProperties(Map.of("semel.policy.http.client.max-attempts", "8"));
        assertThat(configured.get(Policy.Choice.of(Policy.HTTP_CLIENT)).retry().maxAttempts())
                .isEqualTo(8);
        Policy own = Policy.named("psp").withMaxAttempts(9).build();
        Policy other = Policy.named("psp").withMaxAttempts(2).build();
        assertThat(SHIPPED.with(List.of(other)).get(Policy.Choice.of(own))).isSameAs(other);
    }
}
