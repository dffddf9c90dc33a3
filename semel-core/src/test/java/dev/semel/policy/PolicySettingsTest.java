package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.DeadHead;
import dev.semel.Policy.Jitter;
import dev.semel.Policy.Retention;
import dev.semel.SemelException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicySettingsTest {
    /** What is shown of a policy, on the command line and on the page of configuration, makes the same policy again. */
    @Test
    void everyShippedPolicyIsReadBackFromItsSettings() {
        for (Policy policy : Policy.shipped()) {
            Map<String, String> properties = new HashMap<>(Map.of("semel.policy.copy.extends", "worker.job"));
            for (PolicySetting setting : PolicySetting.values()) {
                setting.of(policy).ifPresent(value -> properties.put("semel.policy.copy." + setting.key(), value));
            }
            Policy copy = Catalogue.fromProperties(properties).get("copy");
            assertThat(copy.toBuilder().withName(policy.name()).build()).isEqualTo(policy);
        }
    }

    @Test
    void rulesAndOtherThingsThatNoShippedPolicyHasAreReadBack() {
        Policy own = Policy.named("own")
                .withBackoff(new Backoff.Listed(List.of(Duration.ofMillis(1_500), Duration.ofMinutes(90))))
                .withJitter(new Jitter.Equal())
                .withDeadline(Duration.ofNanos(1_500))
                .withRedelivery(Duration.ofDays(2))
                .withRetention(new Retention(Duration.ofDays(2), Duration.ofMinutes(7), Duration.ofSeconds(1)))
                .withRetryBudget(5)
                .retryOn(IOException.class, Category.NETWORK)
                .failOn(TimeoutException.class, Category.UNKNOWN)
                .build();
        Map<String, String> properties = new HashMap<>(Map.of("semel.policy.own.extends", "default"));
        for (PolicySetting setting : PolicySetting.values()) {
            setting.of(own).ifPresent(value -> properties.put("semel.policy.own." + setting.key(), value));
        }
        assertThat(Catalogue.fromProperties(properties).get("own")).isEqualTo(own);
    }

    @Test
    void entryIsChangedByItsSettings() {
        Policy policy = Catalogue.fromProperties(Map.ofEntries(
                        Map.entry("semel.policy.crm.writeback.max-attempts", " 9 "),
                        Map.entry("semel.policy.crm.writeback.backoff", "exp 250ms x1.5 cap 2m"),
                        Map.entry("semel.policy.crm.writeback.jitter", "bounded 0.25"),
                        Map.entry("semel.policy.crm.writeback.max-retry-after", "2h"),
                        Map.entry("semel.policy.crm.writeback.attempt-timeout", "PT45S"),
                        Map.entry("semel.policy.crm.writeback.deadline", "1d"),
                        Map.entry("semel.policy.crm.writeback.lease", "90s"),
                        Map.entry("semel.policy.crm.writeback.retention", "payments"),
                        Map.entry("semel.policy.crm.writeback.retention-failure", "3d"),
                        Map.entry("semel.policy.crm.writeback.repeatable", "true"),
                        Map.entry("semel.policy.crm.writeback.store-failures", "false"),
                        Map.entry("semel.policy.crm.writeback.dead-letters", "true"),
                        Map.entry("semel.policy.crm.writeback.dead-head", "park-lane"),
                        Map.entry("semel.policy.crm.writeback.retry-on", "java.io.IOException network"),
                        Map.entry("semel.policy.crm.writeback.fail-on", "java.util.concurrent.TimeoutException"),
                        Map.entry("semel.store.url", "somebody else's")))
                .get("crm.writeback");
        assertThat(policy)
                .isEqualTo(Policy.named("crm.writeback")
                        .withMaxAttempts(9)
                        .withExponentialBackoff(Duration.ofMillis(250), 1.5, Duration.ofMinutes(2))
                        .withJitter(new Jitter.Bounded(0.25))
                        .withMaxRetryAfter(Duration.ofHours(2))
                        .withAttemptTimeout(Duration.ofSeconds(45))
                        .withDeadline(Duration.ofDays(1))
                        .withLease(Duration.ofSeconds(90))
                        .withRetention(new Retention(Duration.ofDays(30), Duration.ofDays(3), Duration.ofDays(30)))
                        .withRepeatable(true)
                        .withStoredFailures(false)
                        .withDeadHead(DeadHead.PARK_LANE)
                        .retryOn(IOException.class, Category.NETWORK)
                        .failOn(TimeoutException.class, Category.UNKNOWN)
                        .build());
    }

    @Test
    void unsetValuesKeepTheirDefaults() {
        Catalogue catalogue = Catalogue.fromProperties(Map.of("semel.policy.kv.get.lease", "20s"));
        Policy shipped = Catalogue.shipped().get("kv.get");
        assertThat(catalogue.get("kv.get"))
                .isEqualTo(shipped.toBuilder().withLease(Duration.ofSeconds(20)).build());
        assertThat(catalogue.names()).isEqualTo(Catalogue.shipped().names());
        assertThat(Catalogue.fromProperties(Map.of()).get("kv.get")).isEqualTo(shipped);
    }

    @Test
    void newPolicyMustNameItsBase() {
        Policy policy = Catalogue.fromProperties(Map.of(
                        "semel.policy.orders.eu.extends", "worker.job", "semel.policy.orders.eu.max-attempts", "2"))
                .get("orders.eu");
        assertThat(policy.retry().maxAttempts()).isEqualTo(2);
        assertThat(policy.limits())
                .isEqualTo(Catalogue.shipped().get("worker.job").limits());
    }

    @Test
    void deadlineCanBeTakenAway() {
        Policy bounded =
                Policy.named("bounded").withDeadline(Duration.ofHours(1)).build();
        Catalogue catalogue = Catalogue.shipped().with(List.of(bounded));
        assertThat(catalogue
                        .withProperties(Map.of("semel.policy.bounded.deadline", "none"))
                        .get("bounded")
                        .limits()
                        .deadline())
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "250ms, PT0.25S",
        "1s, PT1S",
        "5m, PT5M",
        "5min, PT5M",
        "2h, PT2H",
        "7d, PT168H",
        "10 s, PT10S",
        "PT1M, PT1M"
    })
    void durationsAreShortOrIso(String text, Duration expected) {
        assertThat(Values.duration(text)).isEqualTo(expected);
    }

    @Test
    void backoffsAndJittersHaveTheirForms() {
        assertThat(Values.backoff("none")).isEqualTo(new Backoff.None());
        assertThat(Values.backoff("list 1s, 3s"))
                .isEqualTo(new Backoff.Listed(List.of(Duration.ofSeconds(1), Duration.ofSeconds(3))));
        assertThat(Values.jitter("none")).isEqualTo(new Jitter.None());
        assertThat(Values.jitter("full")).isEqualTo(new Jitter.Full());
        assertThat(Values.jitter("equal")).isEqualTo(new Jitter.Equal());
        assertThat(Values.jitter("decorrelated")).isEqualTo(new Jitter.Decorrelated());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-attempts | five | not a whole number",
                "max-attempts | 0 | use 1 to 1000000",
                "max-attempts | 99999999999 | not a whole number",
                "backoff | exp 250 | write exp 250ms x2 cap 30s, list 1s,3s or none",
                "backoff | exp 1s xtwo cap 3s | two is not a number",
                "backoff | exp 1s xNaN cap 3s | multiplier is NaN",
                "backoff | exp 5s x2 cap 3s | below its base",
                "backoff | list 1s,,3s | not a duration",
                "jitter | bounded 1.5 | use 0 to 1",
                "jitter | wild | write full, none",
                "attempt-timeout | 30 | not a duration; write 250ms",
                "attempt-timeout | 99999999999999s | not a duration",
                "lease | 0s | above zero",
                "deadline | never | not a duration",
                "retention | payment | perhaps payments is meant",
                "retention-success | 1y | not a duration",
                "repeatable | yes | neither true nor false",
                "dead-head | stop | not one of continue, park-lane",
                "retry-on | com.acme.Missing | class com.acme.Missing cannot be loaded",
                "retry-on | java.io.IOException netwrk | perhaps network is meant",
                "retry-on | java.io.IOException a b | is not a class name with a category",
                "fail-on | java.lang.String | can never match",
                "extends | worker.jobs | perhaps worker.job is meant"
            })
    void aWrongValueIsRefusedWithWhatWouldBeRight(String setting, String value, String expected) {
        assertThat(faults(Map.of("semel.policy.kv.get." + setting, value)))
                .singleElement()
                .asString()
                .contains("kv.get")
                .contains(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"semel.policy.lease", "semel.policy..lease", "semel.policy."})
    void aKeyWithoutANameOrASettingIsRefused(String key) {
        assertThat(faults(Map.of(key, "1s"))).singleElement().asString().startsWith(key + " names no ");
    }

    @Test
    void allFaultsAreNamedAtOnce() {
        List<String> faults = faults(Map.of(
                "semel.policy.kv.get.max-atempts", "3",
                "semel.policy.kv.get.lease", "soon",
                "semel.policy.kv.get.max-attempts", "0",
                "semel.policy.crm.writback.lease", "never",
                "semel.policy.pdf.render.jitter", "decorrelated",
                "semel.policy.ingress.ack.dead-head", "park-lane",
                "semel.policy.ingress.ack.jitter", "full"));
        assertThat(faults)
                .containsExactlyInAnyOrder(
                        "semel.policy.kv.get.max-atempts is not a setting; perhaps max-attempts is meant",
                        "semel.policy.kv.get.lease=soon: not a duration; write 250ms, 30s, 5m, 2h, 7d or PT30S",
                        "policy kv.get: max attempts is 0: use 1 to 1000000, the first one included",
                        "semel.policy.crm.writback: there is no policy of that name; perhaps crm.writeback is meant;"
                                + " to make a new one, set semel.policy.crm.writback.extends=default",
                        "semel.policy.crm.writback.lease=never: not a duration; write 250ms, 30s, 5m, 2h, 7d or PT30S",
                        "policy pdf.render: decorrelated jitter needs an exponential backoff: it grows from the base to"
                                + " the cap",
                        "policy ingress.ack: jitter is set but there is no backoff to jitter: set a backoff, or no jitter",
                        "policy ingress.ack: a dead head parks its lane but dead letters are off, so nobody could replay"
                                + " it: switch dead letters on, or let the lane continue");
    }

    @Test
    void classInBothListsIsAContradiction() {
        assertThat(faults(Map.of(
                        "semel.policy.kv.get.retry-on", "java.io.IOException",
                        "semel.policy.kv.get.fail-on", "java.io.IOException")))
                .containsExactly("policy kv.get: rule for java.io.IOException is set twice: keep one of the two");
    }

    @Test
    void nameThatCannotBeShownIsRejected() {
        assertThat(faults(Map.of("semel.policy.a\u0000b.extends", "default")))
                .singleElement()
                .asString()
                .contains("control character");
    }

    private static List<String> faults(Map<String, String> properties) {
        return catchThrowableOfType(SemelException.Misconfigured.class, () -> Catalogue.fromProperties(properties))
                .faults();
    }
}
