package dev.semel.cli;

import static dev.semel.cli.Shell.semel;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PolicyTest {
    @TempDir
    private Path directory;

    @Test
    void everyShippedPolicyIsListed() {
        Shell list = semel("policy", "list");
        assertThat(list.exit()).isZero();
        assertThat(list.out())
                .containsPattern("NAME +ATTEMPTS +TIME-OUT +LEASE +RESULTS +FAILURES +DEAD LETTERS +PAUSES\n")
                .containsPattern("default +3 +30 s +60 s +24 h +1 h +30 d +after 1 s, 2 s, each \u00b1 10 %\n")
                .containsPattern("ingress.ack +1 +2 s +10 s +30 d +none +none\n")
                .containsPattern(
                        "http.client +5 +15 s +30 s +24 h +1 h +30 d +after 0 to 300 ms, 600 ms, 1.2 s, 2.4 s\n")
                .containsPattern("pdf.render +3 .* after 1 s, 3 s\n");
        Policy.shipped().forEach(policy -> assertThat(list.out()).contains("\n" + policy.name() + " "));
        JsonNode json =
                JsonMapper.shared().readTree(semel("policy", "list", "--json").out());
        assertThat(json.size()).isEqualTo(Policy.shipped().size());
        assertThat(json.get(0).get("settings").get("backoff").asString()).isEqualTo("exp 1s x2 cap 30s");
    }

    @Test
    void policyIsShownInWords() {
        Shell show = semel("policy", "show", "slack.message");
        assertThat(show.exit()).isZero();
        assertThat(show.out())
                .contains(
                        "slack.message (RETRY_SLACK_MESSAGE in audit and metrics)",
                        "6: attempt 1 at once, then after 0 to 250 ms, 500 ms, 1 s, 2 s, 4 s",
                        "10 s for an attempt; then its handler is interrupted",
                        "no, unless the operation or channel declares otherwise",
                        "results 24 h, failures 1 h, dead letters 30 d")
                .containsPattern("retried +network, timeout, rate_limited, ")
                .containsPattern("not retried +auth, validation, ")
                .containsPattern("stored +auth, validation, mapping, not_found, business_rule\n")
                .containsPattern("dead letters +what fails for good; its lane continues\n");
        JsonNode json = JsonMapper.shared()
                .readTree(semel("policy", "show", "slack.message", "--json").out());
        assertThat(json.get("code").asString()).isEqualTo("RETRY_SLACK_MESSAGE");
        assertThat(json.get("pauses_ms").toString()).isEqualTo("[250,500,1000,2000,4000]");
        assertThat(json.get("settings").get("lease").asString()).isEqualTo("30s");
        assertThat(json.get("not_retried").toString())
                .contains("\"validation\"")
                .doesNotContain("\"network\"");
    }

    @Test
    void policyOfOneAttemptSaysWhatIsNotKept() {
        assertThat(semel("policy", "show", "ingress.ack").out())
                .contains("1: there is no second one", "none: a message that fails for good is dropped")
                .containsPattern("stored +no failures\n");
    }

    @Test
    void unknownNameIsBadInputWithASuggestion() {
        Shell unknown = semel("policy", "show", "slak.message");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.out()).isEmpty();
        assertThat(unknown.err()).contains("slak.message", "no policy of that name", "perhaps slack.message is meant");
        assertThat(semel("policy").err()).contains("use list or show");
    }

    @Test
    void propertiesFileChangesPoliciesAndIsChecked() throws IOException {
        Path file = Files.writeString(directory.resolve("application.properties"), """
                spring.application.name=shop
                semel.policy.orders.extends=worker.job
                semel.policy.orders.max-attempts=200
                semel.policy.orders.jitter=equal
                semel.policy.orders.deadline=2h
                semel.policy.orders.redelivery=3d
                semel.policy.orders.repeatable=true
                semel.policy.orders.dead-head=park-lane
                semel.policy.orders.retry-budget=5
                semel.policy.orders.retry-on=java.io.IOException network
                """);
        assertThat(semel("policy", "list", "--properties", file.toString()).out())
                .contains("\norders ");
        assertThat(semel("policy", "show", "orders", "--properties", file.toString())
                        .out())
                .contains(
                        "200: attempt 1 at once, then after 1 s, 2 s, 4 s, 8 s, 16 s, 32 s, 60 s, 60 s, ..., each at least"
                                + " half",
                        "2 h from acceptance",
                        "5 retries a second of one channel",
                        "java.io.IOException network",
                        "yes, unless the operation or channel declares otherwise",
                        "may deliver again for 3 d",
                        "its lane stops until it is replayed or discarded");
        Path wrong = Files.writeString(directory.resolve("wrong.properties"), """
                semel.policy.default.max-atempts=3
                semel.policy.default.lease=soon
                """);
        Shell refused = semel("policy", "list", "--properties", wrong.toString());
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err()).contains("perhaps max-attempts is meant", "semel.policy.default.lease=soon");
        Shell missing = semel(
                "policy", "list", "--properties", directory.resolve("none").toString());
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("Reading the file", "none");
    }

    @Test
    void decorrelatedAndImmediatePausesAreTold() {
        Policy random = Policy.named("random")
                .withJitter(new Policy.Jitter.Decorrelated())
                .build();
        assertThat(new PolicyWords(random).pauses())
                .isEqualTo("after a random time from 1 s to three times the last pause, at most 30 s");
        assertThat(new PolicyWords(Policy.named("now").withoutBackoff().build()).pauses())
                .isEqualTo("at once");
    }

    @Test
    void timesAreShownInTheUnitThatReadsBest() {
        assertThat(PolicyWords.time(Duration.ofMillis(250))).isEqualTo("250 ms");
        assertThat(PolicyWords.time(Duration.ofMillis(1_200))).isEqualTo("1.2 s");
        assertThat(PolicyWords.time(Duration.ofSeconds(120))).isEqualTo("120 s");
        assertThat(PolicyWords.time(Duration.ofMinutes(15))).isEqualTo("15 min");
        assertThat(PolicyWords.time(Duration.ofHours(24))).isEqualTo("24 h");
        assertThat(PolicyWords.time(Duration.ofDays(7))).isEqualTo("7 d");
    }
}
