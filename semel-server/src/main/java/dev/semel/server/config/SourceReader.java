package dev.semel.server.config;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.http.ingress.EventField;
import dev.semel.http.ingress.EventKey;
import dev.semel.http.ingress.HmacHeader;
import dev.semel.http.ingress.WebhookSecrets;
import dev.semel.http.ingress.WebhookSource;
import dev.semel.policy.PolicySetting;
import dev.semel.server.config.ConfigSection.NamedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the senders of webhooks, one after the other. */
final class SourceReader {
    private static final String FIXED = "fixed:";

    private final ConfigSection all;
    private final NamedPolicies policies;
    private final SourcePaths paths;

    SourceReader(ConfigSection all, NamedPolicies policies, SourcePaths paths) {
        this.all = all;
        this.policies = policies;
        this.paths = paths;
    }

    /** Empty when it has faults, which are reported. */
    Optional<SourceConfig> read(NamedNode node) {
        return all.section(node.node(), "source " + ConfigText.quoted(node.name()), ConfigPart.SOURCE)
                .flatMap(section -> read(node, section));
    }

    private Optional<SourceConfig> read(NamedNode node, ConfigSection section) {
        EventPlaces places = new EventPlaces(section);
        Optional<SenderScheme> scheme = section.value(ConfigSetting.SOURCE_SCHEME, SenderScheme.reader());
        Optional<List<ConfigText>> secrets = SecretSettings.read(section, ConfigSetting.SOURCE_SECRETS);
        Optional<EventKey> key = places.key();
        Optional<WebhookSource> signed =
                scheme.flatMap(chosen -> signed(node.name(), section, chosen, secrets.orElse(List.of()), key));
        Optional<WebhookSource> source = details(section, places, signed);
        Optional<String> path = path(node.name(), section, places.readsPath());
        Optional<String> policy = policies.name(section, ConfigSetting.SOURCE_POLICY);
        if (scheme.isPresent() && policy.isPresent()) {
            checkRedelivery(section, scheme.get(), policy.get());
        }
        return source.isEmpty() || path.isEmpty() || policy.isEmpty()
                ? Optional.empty()
                : Optional.of(new SourceConfig(path.get(), source.get(), policy.get(), places.readsPath()));
    }

    private Optional<WebhookSource> signed(
            String name, ConfigSection section, SenderScheme scheme, List<ConfigText> texts, Optional<EventKey> key) {
        WebhookSecrets secrets =
                WebhookSecrets.of(texts.stream().map(ConfigText::text).toArray(String[]::new));
        Optional<WebhookSource> source;
        if (scheme == SenderScheme.HMAC) {
            source = hmac(name, section, secrets, key);
        } else {
            if (section.has(ConfigSetting.SOURCE_HMAC)) {
                section.fault(ConfigSetting.SOURCE_HMAC, "is for scheme hmac only: remove it, or write scheme: hmac");
            }
            WebhookSource usual = scheme.source(name, secrets);
            source = Optional.of(key.map(usual::withKey).orElse(usual));
        }
        source.ifPresent(found -> found.faults().stream()
                .filter(fault -> !fault.startsWith("the name "))
                .forEach(fault -> section.findings()
                        .fault(section.at(ConfigSetting.SOURCE_SECRETS), section.label("secrets") + ": " + fault)));
        return source;
    }

    private static Optional<WebhookSource> hmac(
            String name, ConfigSection section, WebhookSecrets secrets, Optional<EventKey> key) {
        if (!section.has(ConfigSetting.SOURCE_HMAC)) {
            section.fault(ConfigSetting.SOURCE_HMAC, "is missing: scheme hmac needs the header of the signature");
        }
        if (!section.has(ConfigSetting.SOURCE_KEY)) {
            section.fault(
                    ConfigSetting.SOURCE_KEY,
                    "is missing: scheme hmac has no key of its own; write json:/id, or body-digest");
        }
        Optional<HmacHeader> header =
                section.section(ConfigSetting.SOURCE_HMAC, ConfigPart.HMAC).flatMap(SourceReader::header);
        return header.isEmpty() || key.isEmpty()
                ? Optional.empty()
                : Optional.of(WebhookSource.hmac(name, secrets, header.get(), key.get()));
    }

    private static Optional<HmacHeader> header(ConfigSection section) {
        Optional<String> name = section.value(ConfigSetting.HMAC_HEADER, text -> {
            if (!EventPlaces.HEADER_NAME.matcher(text).matches()) {
                throw new IllegalArgumentException("not the name of a header; write X-Signature");
            }
            return text;
        });
        Optional<ConfigText> prefix = section.text(ConfigSetting.HMAC_PREFIX);
        Optional<HmacHeader.Encoding> encoding = section.value(
                ConfigSetting.HMAC_ENCODING,
                ValueForms.choice(
                        Map.of("hex", HmacHeader.Encoding.HEX, "base64", HmacHeader.Encoding.BASE64), "hex or base64"));
        Optional<HmacHeader.Algorithm> algorithm = section.value(
                ConfigSetting.HMAC_ALGORITHM,
                ValueForms.choice(
                        Map.of("sha256", HmacHeader.Algorithm.SHA256, "sha512", HmacHeader.Algorithm.SHA512),
                        "sha256 or sha512"));
        return name.isEmpty() || encoding.isEmpty() || algorithm.isEmpty()
                ? Optional.empty()
                : Optional.of(new HmacHeader(
                        name.get(),
                        algorithm.get(),
                        encoding.get(),
                        prefix.map(ConfigText::text).orElse("")));
    }

    /** Everything is read, so that all faults are found, also where the source itself cannot be made. */
    private static Optional<WebhookSource> details(
            ConfigSection section, EventPlaces places, Optional<WebhookSource> signed) {
        int before = section.findings().count();
        Optional<EventField> lane = section.value(ConfigSetting.SOURCE_LANE, places::field);
        Optional<Object> tenant = section.value(ConfigSetting.SOURCE_TENANT, text -> tenant(text, places));
        Optional<Integer> largest =
                section.value(ConfigSetting.SOURCE_LARGEST_BODY, ValueForms.size(1, 16 << 20, "1B to 16MiB"));
        Optional<Duration> tolerance = section.value(
                ConfigSetting.SOURCE_TOLERANCE,
                ValueForms.duration(Duration.ofSeconds(1), Duration.ofHours(24), "1s to 24h"));
        String[] headers = strings(section, ConfigSetting.SOURCE_HEADERS);
        String[] varying = strings(section, ConfigSetting.SOURCE_VARYING);
        if (section.findings().count() > before || signed.isEmpty()) {
            return Optional.empty();
        }
        WebhookSource source = signed.get();
        List<String> known = source.faults();
        source = source.withHeaders(headers).withTolerance(tolerance.orElse(Duration.ofSeconds(300)));
        source = varying.length > 0 ? source.withVaryingFields(varying) : source;
        source = lane.isPresent() ? source.withLane(lane.get()) : source;
        source = largest.isPresent() ? source.withLargestBody(largest.get()) : source;
        if (tenant.isPresent()) {
            source = tenant.get() instanceof EventField field
                    ? source.withTenant(field)
                    : source.withTenant((Tenant) tenant.get());
        }
        List<String> more = new ArrayList<>(source.faults());
        more.removeAll(known);
        more.forEach(fault -> section.findings()
                .fault(section.at(ConfigSetting.SOURCE_HEADERS), section.label("headers") + ": " + fault));
        return Optional.of(source);
    }

    private static String[] strings(ConfigSection section, DeclaredSetting setting) {
        return section.texts(setting).stream().map(ConfigText::text).toArray(String[]::new);
    }

    /** A field or a tenant. */
    private static Object tenant(String text, EventPlaces places) {
        try {
            return text.startsWith(FIXED) ? Tenant.of(text.substring(FIXED.length())) : places.field(text);
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException("not the name of a tenant; write fixed:acme", wrong);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(wrong.getMessage() + ", or fixed:acme for one tenant", wrong);
        }
    }

    private Optional<String> path(String name, ConfigSection section, boolean withParts) {
        Optional<Boolean> guessable = section.value(ConfigSetting.SOURCE_GUESSABLE, ValueForms::flag);
        Optional<String> path = section.value(ConfigSetting.SOURCE_PATH, SourcePaths::checked);
        path.ifPresent(text -> {
            if (guessable.isPresent() && !guessable.get() && !SourcePaths.isHardToGuess(text)) {
                section.fault(
                        ConfigSetting.SOURCE_PATH,
                        "can be guessed: add a part of at least 16 random letters and digits (openssl rand -hex 16), or"
                                + " write guessable-path: true");
            }
            String other = paths.take(name, text, withParts);
            if (!other.isEmpty()) {
                section.fault(
                        ConfigSetting.SOURCE_PATH,
                        "is taken by source " + ConfigText.quoted(other) + ": each source needs a path of its own");
            }
        });
        return path;
    }

    /** A webhook must be remembered for as long as its sender may send it again. */
    private void checkRedelivery(ConfigSection section, SenderScheme scheme, String name) {
        Duration redelivery = scheme.redelivery();
        Policy policy = policies.find(name).orElse(null);
        if (redelivery == null || policy == null) {
            return;
        }
        Duration failed = policy.options().deadLetters()
                ? policy.retention().deadLetters()
                : policy.retention().failure();
        PolicySetting shortest = policy.retention().success().compareTo(redelivery) < 0
                ? PolicySetting.RETENTION_SUCCESS
                : policy.options().deadLetters()
                        ? PolicySetting.RETENTION_DEAD_LETTERS
                        : PolicySetting.RETENTION_FAILURE;
        if (policy.retention().success().compareTo(redelivery) < 0 || failed.compareTo(redelivery) < 0) {
            section.fault(
                    ConfigSetting.SOURCE_POLICY,
                    "is '" + name + "', which remembers webhooks for "
                            + shortest.of(policy).orElse("")
                            + " (" + shortest.key() + "), but " + scheme.key() + " may send one again for "
                            + redelivery.toHours()
                            + "h, and it would be delivered twice: use webhook.inbox, or retention:"
                            + " webhooks in the policy");
        }
    }
}
