package dev.semel.server.config;

import dev.semel.Channel.Breaker;
import dev.semel.Channel.Capacity;
import dev.semel.Channel.RateLimit;
import dev.semel.policy.PolicySetting;
import dev.semel.server.config.ConfigSection.NamedNode;
import dev.semel.server.config.DestinationConfig.EgressRules;
import dev.semel.server.config.DestinationConfig.Target;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;

/** Reads where webhooks are delivered, one destination after the other. */
final class DestinationReader {
    private static final int SHORTEST_SECRET = 16;
    private static final int MOST_SECRETS = 8;
    private static final String PREFIX = "whsec_";

    private final ConfigSection all;
    private final NamedPolicies policies;

    DestinationReader(ConfigSection all, NamedPolicies policies) {
        this.all = all;
        this.policies = policies;
    }

    /** Empty when it has faults, which are reported. */
    Optional<DestinationConfig> read(NamedNode node) {
        return all.section(node.node(), "destination " + ConfigText.quoted(node.name()), ConfigPart.DESTINATION)
                .flatMap(section -> read(node.name(), section));
    }

    private Optional<DestinationConfig> read(String name, ConfigSection section) {
        Optional<String> policy = policies.name(section, ConfigSetting.DESTINATION_POLICY);
        Optional<Target> target = target(section, policy);
        Optional<Capacity> capacity = capacity(section);
        Optional<Boolean> ordered = section.value(
                ConfigSetting.DESTINATION_ORDER,
                ValueForms.choice(Map.of("lane", true, "none", false), "lane or none"));
        Optional<Optional<Duration>> disableAfter = section.value(ConfigSetting.DESTINATION_DISABLE_AFTER, text -> {
            Duration year = Duration.ofDays(366);
            return text.equals("never")
                    ? Optional.empty()
                    : Optional.of(ValueForms.duration(Duration.ofMinutes(1), year, "1m to 366d, or never")
                            .apply(text));
        });
        return policy.isEmpty() || target.isEmpty() || capacity.isEmpty() || ordered.isEmpty() || disableAfter.isEmpty()
                ? Optional.empty()
                : Optional.of(new DestinationConfig(
                        name,
                        target.get(),
                        policy.get(),
                        ordered.get(),
                        capacity.get(),
                        disableAfter.get().orElse(null)));
    }

    private Optional<Target> target(ConfigSection section, Optional<String> policy) {
        Optional<EgressRules> egress = egress(section);
        Optional<URI> url = new DestinationUrl(section)
                .read(egress.map(EgressRules::plainHttp).orElse(true));
        Optional<Map<String, String>> headers =
                new DestinationHeaders(section, ConfigSetting.DESTINATION_HEADERS).read();
        Optional<List<String>> signing = signing(section);
        Optional<Duration> timeout = section.value(
                ConfigSetting.DESTINATION_TIMEOUT,
                ValueForms.duration(Duration.ofMillis(100), Duration.ofMinutes(10), "100ms to 10m"));
        if (timeout.isPresent()) {
            policy.ifPresent(named -> checkTimeout(section, timeout.get(), named));
        }
        return egress.isEmpty() || url.isEmpty() || headers.isEmpty() || signing.isEmpty() || timeout.isEmpty()
                ? Optional.empty()
                : Optional.of(new Target(url.get(), headers.get(), signing.get(), timeout.get(), egress.get()));
    }

    /** Otherwise the attempt would be interrupted before its own timeout. */
    private void checkTimeout(ConfigSection section, Duration timeout, String name) {
        policies.find(name)
                .filter(policy -> policy.limits().attemptTimeout().compareTo(timeout) < 0)
                .ifPresent(policy -> section.fault(
                        ConfigSetting.DESTINATION_TIMEOUT,
                        "is longer than the attempt-timeout of policy '" + name + "', "
                                + PolicySetting.ATTEMPT_TIMEOUT.of(policy).orElse("")
                                + ": write a shorter timeout, or a policy with a longer attempt-timeout"));
    }

    private static Optional<EgressRules> egress(ConfigSection section) {
        if (!section.has(ConfigSetting.DESTINATION_ALLOW)) {
            return Optional.of(EgressRules.PUBLIC);
        }
        return section.section(ConfigSetting.DESTINATION_ALLOW, ConfigPart.ALLOW)
                .flatMap(allow -> {
                    Optional<Boolean> http = allow.value(ConfigSetting.ALLOW_HTTP, ValueForms::flag);
                    List<ConfigText> texts = allow.texts(ConfigSetting.ALLOW_NETWORKS);
                    List<String> networks = new ArrayList<>();
                    texts.forEach(text -> allow.value(text, allow.label("networks"), CidrNetwork::of)
                            .ifPresent(network -> networks.add(text.text())));
                    return http.isEmpty() || networks.size() < texts.size()
                            ? Optional.empty()
                            : Optional.of(new EgressRules(http.get(), networks));
                });
    }

    /** Each with its prefix. */
    private static Optional<List<String>> signing(ConfigSection section) {
        if (!section.has(ConfigSetting.DESTINATION_SIGNING)) {
            return Optional.of(List.of());
        }
        return SecretSettings.read(section, ConfigSetting.DESTINATION_SIGNING).flatMap(texts -> {
            if (texts.size() > MOST_SECRETS) {
                section.fault(ConfigSetting.DESTINATION_SIGNING, "has more than " + MOST_SECRETS + " secrets");
            }
            List<String> secrets = new ArrayList<>();
            for (ConfigText text : texts) {
                String secret = text.text().strip();
                String encoded = secret.startsWith(PREFIX) ? secret.substring(PREFIX.length()) : secret;
                if (isSecret(encoded)) {
                    secrets.add(PREFIX + encoded);
                } else {
                    section.findings()
                            .fault(
                                    text.at(),
                                    section.label("signing") + " is too short or malformed: a secret is whsec_ and the"
                                            + " base64 form of at least " + SHORTEST_SECRET
                                            + " bytes (openssl rand -base64 32)");
                }
            }
            return secrets.size() < texts.size() ? Optional.empty() : Optional.of(secrets);
        });
    }

    private static boolean isSecret(String encoded) {
        try {
            return Base64.getDecoder().decode(encoded).length >= SHORTEST_SECRET;
        } catch (IllegalArgumentException wrong) {
            return false;
        }
    }

    private static Optional<Capacity> capacity(ConfigSection section) {
        Optional<Integer> concurrency =
                section.value(ConfigSetting.DESTINATION_CONCURRENCY, ValueForms.number(1, 10_000));
        Optional<Integer> perTenant =
                section.value(ConfigSetting.DESTINATION_PER_TENANT, ValueForms.number(1, concurrency.orElse(10_000)));
        Optional<RateLimit> rate = rateLimit(section);
        Optional<Breaker> breaker = breaker(section);
        return concurrency.isEmpty()
                        || rate.isEmpty()
                        || breaker.isEmpty()
                        || perTenant.isEmpty() && section.has(ConfigSetting.DESTINATION_PER_TENANT)
                ? Optional.empty()
                : Optional.of(Capacity.of(concurrency.get())
                        .withPerTenant(perTenant.orElse(concurrency.get()))
                        .withRateLimit(rate.get())
                        .withBreaker(breaker.get()));
    }

    private static Optional<RateLimit> rateLimit(ConfigSection section) {
        if (!section.has(ConfigSetting.DESTINATION_RATE_LIMIT)) {
            return Optional.of(RateLimit.NONE);
        }
        boolean settings = section.node(ConfigSetting.DESTINATION_RATE_LIMIT)
                .filter(MappingNode.class::isInstance)
                .isPresent();
        if (!settings) {
            return section.value(ConfigSetting.DESTINATION_RATE_LIMIT, ValueForms::rate);
        }
        return section.section(ConfigSetting.DESTINATION_RATE_LIMIT, ConfigPart.RATE_LIMIT)
                .flatMap(DestinationReader::rateLimitWithBurst);
    }

    private static Optional<RateLimit> rateLimitWithBurst(ConfigSection section) {
        Optional<RateLimit> limit = section.value(ConfigSetting.RATE_LIMIT_LIMIT, ValueForms::rate);
        int most = limit.map(RateLimit::permits).orElse(1_000_000);
        Optional<Integer> burst = section.value(ConfigSetting.RATE_LIMIT_BURST, ValueForms.number(1, most));
        Optional<Integer> perTenant = section.value(ConfigSetting.RATE_LIMIT_PER_TENANT, ValueForms.number(1, most));
        return limit.map(rate -> rate.withPerTenant(perTenant.orElse(0)).withBurst(burst.orElse(rate.permits())));
    }

    private static Optional<Breaker> breaker(ConfigSection section) {
        boolean settings = section.node(ConfigSetting.DESTINATION_BREAKER)
                .filter(MappingNode.class::isInstance)
                .isPresent();
        if (!settings) {
            return section.value(
                    ConfigSetting.DESTINATION_BREAKER,
                    ValueForms.choice(
                            Map.of("none", Breaker.NONE, "usual", Breaker.usual()), "usual, none or settings"));
        }
        return section.section(ConfigSetting.DESTINATION_BREAKER, ConfigPart.BREAKER)
                .flatMap(breaker -> {
                    Optional<Integer> percent = breaker.value(ConfigSetting.BREAKER_PERCENT, ValueForms.number(1, 100));
                    Optional<Integer> calls = breaker.value(ConfigSetting.BREAKER_CALLS, ValueForms.number(1, 10_000));
                    Optional<Duration> pause = breaker.value(
                            ConfigSetting.BREAKER_PAUSE,
                            ValueForms.duration(Duration.ofSeconds(1), Duration.ofHours(24), "1s to 24h"));
                    return percent.isEmpty() || calls.isEmpty() || pause.isEmpty()
                            ? Optional.empty()
                            : Optional.of(new Breaker(percent.get(), calls.get(), pause.get()));
                });
    }
}
