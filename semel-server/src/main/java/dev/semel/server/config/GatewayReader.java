package dev.semel.server.config;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.policy.PolicySetting;
import dev.semel.server.config.ConfigSection.NamedNode;
import dev.semel.server.config.GatewayConfig.Callers;
import dev.semel.server.config.GatewayConfig.GatewayLimits;
import dev.semel.server.config.GatewayConfig.KeyedRequests;
import dev.semel.server.config.GatewayConfig.Upgrades;
import dev.semel.server.config.GatewayConfig.Upstream;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the HTTP APIs behind the gateway, one after the other. */
final class GatewayReader {
    /** So many of the server's threads may wait for upstreams; the others answer webhooks and health checks. */
    static final int MOST_REQUESTS = 150;

    private static final Pattern TEMPLATE =
            Pattern.compile("(?:/(?:[A-Za-z0-9._~-]{1,60}|\\{[A-Za-z][A-Za-z0-9]{0,30}\\})){0,12}(?:/\\*\\*)?");
    private static final Pattern PROBE =
            Pattern.compile("(?:/[A-Za-z0-9._~{}-]{1,128}){1,16}(?:\\?[A-Za-z0-9._~{}=&-]+)?");
    private static final Pattern BASE_PATH = Pattern.compile("(?:/[A-Za-z0-9._~-]{1,128}){0,16}/?");

    /** The longest name of an operation is 120 characters, and begins with a method. */
    private static final int LONGEST_TEMPLATE = 112;

    private static final String KEY_PLACE = "{key}";

    private final ConfigSection all;
    private final NamedPolicies policies;
    private final SourcePaths paths;
    private int requests;

    /** @param paths those of the sources, which no gateway may meet */
    GatewayReader(ConfigSection all, NamedPolicies policies, SourcePaths paths) {
        this.all = all;
        this.policies = policies;
        this.paths = paths;
    }

    /** Empty when it has faults, which are reported. */
    Optional<GatewayConfig> read(NamedNode node) {
        return all.section(node.node(), "gateway " + ConfigText.quoted(node.name()), ConfigPart.GATEWAY)
                .flatMap(section -> read(node.name(), section));
    }

    private Optional<GatewayConfig> read(String name, ConfigSection section) {
        int before = section.findings().count();
        Optional<String> path = path(name, section);
        Optional<String> policy = policies.name(section, GatewaySetting.POLICY);
        Optional<Upstream> upstream = upstream(section, policy);
        Optional<Callers> callers = callers(section);
        Optional<KeyedRequests> rule = rule(section, policy, path.orElse("/"));
        Optional<GatewayLimits> limits = limits(section);
        return section.findings().count() > before
                        || path.isEmpty()
                        || upstream.isEmpty()
                        || callers.isEmpty()
                        || rule.isEmpty()
                        || limits.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new GatewayConfig(name, path.get(), upstream.get(), callers.get(), rule.get(), limits.get()));
    }

    private Optional<String> path(String name, ConfigSection section) {
        Optional<String> path = section.value(GatewaySetting.PATH, SourcePaths::checked);
        path.ifPresent(text -> {
            String other = paths.take(name, text, true);
            if (!other.isEmpty()) {
                section.fault(
                        GatewaySetting.PATH,
                        "meets the path of " + ConfigText.quoted(other)
                                + ": each source and gateway needs a path of its own");
            }
        });
        return path;
    }

    private Optional<Upstream> upstream(ConfigSection section, Optional<String> policy) {
        Optional<URI> url = section.text(GatewaySetting.UPSTREAM).flatMap(text -> url(section, text));
        Optional<Map<String, String>> headers = new DestinationHeaders(section, GatewaySetting.HEADERS).read();
        Optional<Duration> timeout = section.value(
                GatewaySetting.TIMEOUT,
                ValueForms.duration(Duration.ofMillis(100), Duration.ofMinutes(10), "100ms to 10m"));
        Optional<Duration> idle = section.value(
                GatewaySetting.IDLE,
                ValueForms.duration(Duration.ofMillis(100), Duration.ofMinutes(10), "100ms to 10m"));
        Optional<Boolean> streams = section.value(
                GatewaySetting.STREAMS, ValueForms.choice(Map.of("pass", true, "refuse", false), "pass or refuse"));
        Optional<Upgrades> upgrades = upgrades(section);
        timeout.ifPresent(value -> policy.ifPresent(named -> checkTimeout(section, value, named)));
        boolean whole = url.isPresent()
                && headers.isPresent()
                && timeout.isPresent()
                && idle.isPresent()
                && streams.isPresent()
                && upgrades.isPresent();
        return whole
                ? Optional.of(new Upstream(
                        url.get(), headers.get(), timeout.get(), idle.get(), streams.get(), upgrades.get()))
                : Optional.empty();
    }

    private static Optional<Upgrades> upgrades(ConfigSection section) {
        Optional<Boolean> pass = section.value(
                GatewaySetting.UPGRADES, ValueForms.choice(Map.of("pass", true, "refuse", false), "pass or refuse"));
        Optional<Integer> connections =
                section.value(GatewaySetting.UPGRADED_CONNECTIONS, ValueForms.number(1, 10_000));
        Optional<Duration> longest = section.value(
                GatewaySetting.LONGEST_UPGRADE,
                ValueForms.duration(Duration.ofSeconds(1), Duration.ofHours(24), "1s to 24h"));
        return pass.isEmpty() || connections.isEmpty() || longest.isEmpty()
                ? Optional.empty()
                : Optional.of(new Upgrades(pass.get(), connections.get(), longest.get()));
    }

    /** Otherwise the attempt would be interrupted before its own timeout. */
    private void checkTimeout(ConfigSection section, Duration timeout, String name) {
        policies.find(name)
                .filter(policy -> policy.limits().attemptTimeout().compareTo(timeout) <= 0)
                .ifPresent(policy -> section.fault(
                        GatewaySetting.TIMEOUT,
                        "must be shorter than the attempt-timeout of policy '" + name + "', "
                                + PolicySetting.ATTEMPT_TIMEOUT.of(policy).orElse("")
                                + ": write a shorter timeout, or a policy with a longer attempt-timeout"));
    }

    private static Optional<URI> url(ConfigSection section, ConfigText text) {
        String problem;
        try {
            URI url = new URI(text.text());
            problem = problem(url);
            if (problem.isEmpty()) {
                return Optional.of(url);
            }
        } catch (URISyntaxException wrong) {
            problem = "is not a URL at position " + wrong.getIndex() + ": write https://host/path";
        }
        section.fault(GatewaySetting.UPSTREAM, problem);
        return Optional.empty();
    }

    private static String problem(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            return "must begin with https:// or http://";
        }
        if (url.getRawUserInfo() != null) {
            return "has user info, which is not allowed: send credentials in 'headers'";
        }
        if (url.getHost() == null || url.getPort() == 0 || url.getPort() > 65_535) {
            return "has no valid host and port: write https://host/path";
        }
        boolean plain = url.getRawQuery() == null
                && url.getRawFragment() == null
                && BASE_PATH.matcher(url.getRawPath()).matches()
                && !(url.getRawPath() + "/").contains("/../")
                && !(url.getRawPath() + "/").contains("/./");
        return plain
                ? ""
                : "may have only a plain path after its host, without a query or dots: write https://host/path";
    }

    private Optional<Callers> callers(ConfigSection section) {
        Optional<Boolean> open = section.value(
                GatewaySetting.CALLERS,
                ValueForms.choice(Map.of("token", false, "upstream", true), "token or upstream"));
        Optional<Tenant> tenant = section.value(GatewaySetting.TENANT, GatewayReader::tenant);
        if (open.isEmpty()) {
            return Optional.empty();
        }
        if (open.get() && !section.has(GatewaySetting.TENANT)) {
            section.fault(GatewaySetting.TENANT, "is missing: callers: upstream needs the tenant of all callers");
        }
        if (!open.get() && section.has(GatewaySetting.TENANT)) {
            section.fault(
                    GatewaySetting.TENANT,
                    "is for callers: upstream only: the tenant of a token is that of the token; remove it");
        }
        if (!open.get() && !all.has(ConfigSetting.TOKENS)) {
            section.fault(
                    GatewaySetting.CALLERS,
                    "is token, and there are no tokens: add 'tokens', or write callers: upstream");
        }
        return Optional.of(new Callers(tenant.orElse(null)));
    }

    private static Tenant tenant(String text) {
        try {
            return Tenant.of(text);
        } catch (SemelException.Invalid wrong) {
            throw new IllegalArgumentException("not the name of a tenant", wrong);
        }
    }

    private static Optional<KeyedRequests> rule(ConfigSection section, Optional<String> policy, String path) {
        Optional<Boolean> required = section.value(
                GatewaySetting.KEY,
                ValueForms.choice(Map.of("required", true, "optional", false), "required or optional"));
        Optional<Boolean> repeatable = section.value(GatewaySetting.REPEATABLE, ValueForms::flag);
        Optional<String> probe = section.value(GatewaySetting.PROBE, GatewayReader::probe);
        if (probe.isPresent() && repeatable.orElse(false)) {
            section.fault(
                    GatewaySetting.PROBE,
                    "is of no use where repeatable is true: an interrupted request is sent again; remove one of them");
        }
        List<String> templates = new ArrayList<>();
        Set<String> shapes = new HashSet<>();
        for (ConfigText text : section.texts(GatewaySetting.TEMPLATES)) {
            section.value(text, section.label("templates"), each -> template(each, path, shapes))
                    .ifPresent(templates::add);
        }
        if (shapes.add("/**")) {
            templates.add("/**");
        }
        return required.isEmpty() || repeatable.isEmpty() || policy.isEmpty()
                ? Optional.empty()
                : Optional.of(new KeyedRequests(
                        required.get(), repeatable.get(), probe.orElse(null), policy.get(), templates));
    }

    private static String probe(String text) {
        boolean once = text.indexOf(KEY_PLACE) >= 0 && text.indexOf(KEY_PLACE) == text.lastIndexOf(KEY_PLACE);
        String rest = text.replace(KEY_PLACE, "key");
        if (!PROBE.matcher(text).matches()
                || !once
                || rest.contains("{")
                || rest.contains("}")
                || rest.contains("/..")) {
            throw new IllegalArgumentException("not the path of a probe; write /requests/{key} or /search?key={key}");
        }
        return text;
    }

    private static String template(String text, String path, Set<String> shapes) {
        if (!TEMPLATE.matcher(text).matches() || text.isEmpty() || text.contains("/.")) {
            throw new IllegalArgumentException("not a template; write /orders/{id}, or /files/** for all below a path");
        }
        if (path.length() + text.length() > LONGEST_TEMPLATE) {
            throw new IllegalArgumentException(
                    "too long; with the path of the gateway it may have at most " + LONGEST_TEMPLATE + " characters");
        }
        if (!shapes.add(text.replaceAll("\\{[^}]*}", "{}"))) {
            throw new IllegalArgumentException("given twice; variables of other names make no other template");
        }
        return text;
    }

    private Optional<GatewayLimits> limits(ConfigSection section) {
        Optional<Integer> request =
                section.value(GatewaySetting.LARGEST_REQUEST, ValueForms.size(1, 64 << 20, "1B to 64MiB"));
        Optional<Integer> response =
                section.value(GatewaySetting.LARGEST_RESPONSE, ValueForms.size(1, 4 << 20, "1B to 4MiB"));
        Optional<Integer> most = section.value(GatewaySetting.REQUESTS, ValueForms.number(1, MOST_REQUESTS));
        requests += most.orElse(0);
        if (most.isPresent() && requests > MOST_REQUESTS) {
            section.findings()
                    .fault(
                            section.at(GatewaySetting.REQUESTS),
                            section.label("requests") + " is " + most.get()
                                    + ": all gateways together may have at most " + MOST_REQUESTS);
        }
        return request.isEmpty() || response.isEmpty() || most.isEmpty()
                ? Optional.empty()
                : Optional.of(new GatewayLimits(request.get(), response.get(), most.get()));
    }
}
