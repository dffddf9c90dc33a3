package dev.semel.server.config;

import static dev.semel.server.config.SampleConfig.SMALL;
import static dev.semel.server.config.SampleConfig.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.http.ingress.Webhook;
import dev.semel.policy.Catalogue;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.server.config.RouteConfig.Condition;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file says is what the server gets. */
class ConfigFileTest {
    private static final String URL = "url: https://app.example/hooks";

    @TempDir
    private Path directory;

    @Test
    void smallestFileHasTheDefaults() {
        ServerConfig config = SampleConfig.config(directory, SMALL);
        assertThat(config.store()).isEqualTo("sqlite:semel.db");
        assertThat(config.listen())
                .isEqualTo(new ServerConfig.Listen(
                        "127.0.0.1",
                        8080,
                        null,
                        new ServerConfig.RequestLimits(1000, 16_384, Duration.ofSeconds(30)),
                        Duration.ofSeconds(20)));
        SourceConfig source = config.sources().get(0);
        assertThat(source.path()).isEqualTo("/in/" + SampleConfig.RANDOM);
        assertThat(source.withParts()).isFalse();
        assertThat(source.name()).isEqualTo("stripe");
        assertThat(source.policy()).isEqualTo("webhook.inbox");
        assertThat(config.destinations())
                .containsExactly(new DestinationConfig(
                        "app",
                        new DestinationConfig.Target(
                                URI.create("https://app.example/hooks"),
                                Map.of(),
                                List.of(),
                                Duration.ofSeconds(15),
                                EgressRules.PUBLIC),
                        "http.client",
                        true,
                        Channel.Capacity.DEFAULT,
                        null));
        assertThat(config.routes()).containsExactly(new RouteConfig("stripe", List.of("app"), List.of()));
    }

    @Test
    void everyPolicyThatIsNamedIsThere() {
        ServerConfig config = SampleConfig.config(
                directory,
                with("url:", URL, "policy: p")
                        + "policies: {p: {extends: http.client, max-attempts: \"${env:NUMBER}\"}}\n");
        assertThat(config.policies()).extracting(Policy::name).containsExactly("p", "webhook.inbox");
        Catalogue catalogue = Catalogue.shipped().with(config.policies());
        assertThat(catalogue.get("p").retry().maxAttempts()).isEqualTo(12);
        assertThat(catalogue.get("webhook.inbox")).isEqualTo(Webhook.INBOX);
        assertThat(config.sources())
                .allMatch(each -> catalogue.find(each.policy()).isPresent());
    }

    @Test
    void shippedPolicyAndWebhookInboxCanBeChanged() {
        ServerConfig config = SampleConfig.config(
                directory, SMALL + "policies: {webhook.inbox: {max-attempts: 3}, http.client: {max-attempts: 4}}\n");
        assertThat(config.policies())
                .extracting(each -> each.name() + each.retry().maxAttempts())
                .containsExactly("webhook.inbox3", "http.client4");
        assertThat(config.policies().get(0).retention()).isEqualTo(Policy.Retention.WEBHOOKS);
    }

    @Test
    void exampleOfThePageIsReadCompletely() throws IOException {
        ConfigFile read = SampleConfig.read(directory, SampleConfig.example(directory));
        ServerConfig config = read.config();
        assertThat(config.store()).isEqualTo("postgresql://semel:dbHUNTERpassword@db.internal/semel");
        assertThat(config.listen().limits().connections()).isEqualTo(2000);
        assertThat(config.sources()).extracting(SourceConfig::name).containsExactly("stripe", "crm");
        assertThat(config.sources().get(0).source())
                .hasToString("WebhookSource[stripe, Stripe[], WebhookSecrets[2], key json:/id]");
        assertThat(config.sources().get(1).source().toString())
                .contains("key json:/event_id, else json:/account+json:/change/id, else body digest");
        DestinationConfig billing = config.destinations().get(0);
        assertThat(billing.target().headers())
                .containsEntry("Authorization", "Bearer tokenHUNTERtoken")
                .containsEntry("X-Environment", "production");
        assertThat(billing.target().signing()).containsExactly(SampleConfig.VARIABLES.get("BILLING_SIGNING_SECRET"));
        assertThat(billing.capacity().rateLimit())
                .isEqualTo(Channel.RateLimit.perSecond(50).withBurst(10));
        assertThat(billing.capacity().breaker()).isEqualTo(Channel.Breaker.usual());
        assertThat(billing.disableAfter()).isEqualTo(Duration.ofHours(24));
        DestinationConfig archive = config.destinations().get(1);
        assertThat(archive.ordered()).isFalse();
        assertThat(archive.capacity()).isEqualTo(Channel.Capacity.of(4));
        assertThat(archive.target().egress()).isEqualTo(new EgressRules(true, List.of("10.20.0.0/16")));
        assertThat(config.routes().get(0).when())
                .containsExactly(new Condition(
                        "/type", new RouteConfig.Test.In(Set.of("invoice.paid", "invoice.payment_failed"))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "equals: yes                | In[values=[yes]]",
                "equals: 1.50               | In[values=[1.50]]",
                "equals: true               | In[values=[true]]",
                "in: [a]                    | In[values=[a]]",
                "exists: false              | Exists[present=false]",
                "prefix: invoice.           | Prefix[text=invoice.]"
            })
    void conditionsAreReadAsText(String test, String read) {
        ServerConfig config =
                SampleConfig.config(directory, with("to:", "to: app", "when:", "- json: /a", "  " + test));
        assertThat(config.routes().get(0).when()).singleElement().satisfies(condition -> {
            assertThat(condition.pointer()).isEqualTo("/a");
            assertThat(condition.test()).hasToString(read);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "json:/a                                              | json:/a",
                "body-digest                                          | body digest",
                "header:X-Id                                          | header:x-id",
                "form:a                                               | form:a",
                "form:payload:/user/id                                | form:payload:/user/id",
                "path:2                                               | path:2",
                "{all-of: [json:/a, json:/b]}                         | json:/a+json:/b",
                "{first-of: [json:/a, {all-of: [json:/b, form:c]}]}   | json:/a, else json:/b+form:c",
                "{text: json:/t, scope: json:/s, within: 2m}          | json:/s+json:/t in PT2M"
            })
    void keysAreReadInAllTheirForms(String key, String read) {
        ServerConfig config = SampleConfig.config(directory, with("scheme:", "scheme: stripe", "key: " + key));
        assertThat(config.sources().get(0).source().toString()).endsWith(", key " + read + "]");
        assertThat(config.sources().get(0).withParts()).isEqualTo(key.contains("path:"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"50/s       | PT1S", "1000/min   | PT1M", "7/h        | PT1H", "10000 / d  | PT24H"})
    void ratesAreReadInAllTheirForms(String rate, Duration period) {
        ServerConfig config = SampleConfig.config(directory, with("url:", URL, "rate-limit: " + rate));
        Channel.RateLimit limit = config.destinations().get(0).capacity().rateLimit();
        assertThat(limit.per()).isEqualTo(period);
        assertThat(limit.permits()).isEqualTo(Integer.parseInt(rate.split("[ /]")[0]));
        assertThat(limit.burst()).isEqualTo(limit.permits());
    }

    @Test
    void settingsOfBreakerAndRateLimitAreRead() {
        ServerConfig config = SampleConfig.config(
                directory,
                with(
                        "url:",
                        URL,
                        "per-tenant: 3",
                        "rate-limit: {limit: 60/min, burst: 2, per-tenant: 6}",
                        "breaker: {failure-percent: 20, pause: 5s}"));
        assertThat(config.destinations().get(0).capacity())
                .isEqualTo(Channel.Capacity.of(16)
                        .withPerTenant(3)
                        .withRateLimit(Channel.RateLimit.of(60, Duration.ofMinutes(1))
                                .withPerTenant(6)
                                .withBurst(2))
                        .withBreaker(new Channel.Breaker(20, 100, Duration.ofSeconds(5))));
    }

    @Test
    void hmacSourceIsRead() {
        ServerConfig config = SampleConfig.config(
                directory,
                with(
                        "scheme:",
                        "scheme: hmac",
                        "hmac: {header: X-Sig, prefix: sha512=, encoding: base64, algorithm: sha512}",
                        "key: json:/id",
                        "tenant: fixed:acme",
                        "varying-fields: [attempt]",
                        "policy: default"));
        assertThat(config.sources().get(0).source().toString())
                .contains("HmacHeader[name=X-Sig, algorithm=SHA512, encoding=BASE64, prefix=sha512=]");
    }

    @Test
    void escapedReferenceIsText() {
        ServerConfig config = SampleConfig.config(
                directory, with("url:", URL, "headers: {X-A: '$${env:SECRET} $ {a} ${env:NUMBER}'}"));
        assertThat(config.destinations().get(0).target().headers()).containsEntry("X-A", "${env:SECRET} $ {a} 12");
    }

    @Test
    void tlsFilesAreTakenFromTheDirectoryOfTheFile() {
        ServerConfig config =
                SampleConfig.config(directory, SMALL + "listen: {tls: {certificate: semel.yaml, key: ./semel.yaml}}\n");
        Path file = directory.resolve("semel.yaml").toAbsolutePath();
        assertThat(config.listen().tls()).isEqualTo(new ServerConfig.TlsFiles(file, file));
    }

    @Test
    void whatIsProbablyNotMeantIsAWarning() {
        ConfigFile read =
                SampleConfig.read(directory, SMALL.replaceFirst("(?s)routes:.*", "") + "listen:\n  address: 0.0.0.0\n");
        assertThat(read.warnings())
                .extracting(ConfigFinding::toString)
                .containsExactly(
                        "3:3: no route leads from source 'stripe': its webhooks are accepted and go nowhere",
                        "8:3: no route leads to destination 'app': it gets no webhooks",
                        "11:3: the server listens on other addresses than loopback without TLS: set 'tls', or put a proxy with"
                                + " TLS in front of it");
        assertThat(SampleConfig.read(directory, SMALL).warnings()).isEmpty();
    }
}
