package dev.semel.server.config;

import dev.semel.console.access.Role;
import dev.semel.server.config.ConfigSection.NamedNode;
import dev.semel.server.config.OperatorReader.TenantChoice;
import dev.semel.server.oidc.OidcSettings;
import dev.semel.server.oidc.OidcSettings.ClaimMapping;
import dev.semel.server.oidc.OidcSettings.ProviderAddress;
import dev.semel.server.oidc.ProviderUrl;
import dev.semel.server.oidc.RoleGrant;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The identity provider of operators. */
record OidcReader(ConfigSection section) {
    private static final Pattern CLAIM = Pattern.compile("(?U)[\\w/~:.@-]{1,200}");
    private static final Pattern AUDIENCE = Pattern.compile("[\\x21-\\x7e]{1,300}");
    private static final int LONGEST_VALUE = 300;

    /** Empty when it has faults, which are reported. */
    Optional<OidcSettings> read() {
        int before = section.findings().count();
        boolean http = section.value(ConfigSetting.OIDC_HTTP, ValueForms::flag).orElse(false);
        Optional<String> issuer = section.value(ConfigSetting.OIDC_ISSUER, text -> issuer(text, http));
        URI jwks =
                section.value(ConfigSetting.OIDC_JWKS, text -> url(text, http)).orElse(null);
        List<String> audiences = values(ConfigSetting.OIDC_AUDIENCE, OidcReader::audience);
        Set<String> algorithms = algorithms();
        Optional<Duration> tolerance = section.value(
                ConfigSetting.OIDC_TOLERANCE, ValueForms.duration(Duration.ZERO, Duration.ofMinutes(5), "0s to 5m"));
        Optional<ClaimMapping> claims = claims();
        return section.findings().count() > before || issuer.isEmpty() || tolerance.isEmpty() || claims.isEmpty()
                ? Optional.empty()
                : Optional.of(new OidcSettings(
                        new ProviderAddress(issuer.get(), jwks, http),
                        audiences,
                        algorithms,
                        tolerance.get(),
                        claims.get()));
    }

    private static String issuer(String text, boolean http) {
        URI url = url(text, http);
        if (url.getRawQuery() != null) {
            throw new IllegalArgumentException("an issuer has no query; write https://host/path");
        }
        return text;
    }

    private static URI url(String text, boolean http) {
        try {
            URI url = new URI(text);
            String problem = ProviderUrl.problem(url, http);
            if (!problem.isEmpty()) {
                throw new IllegalArgumentException("it " + problem);
            }
            return url;
        } catch (URISyntaxException wrong) {
            throw new IllegalArgumentException("not a URL; write https://host/path", wrong);
        }
    }

    private static String audience(String text) {
        if (!AUDIENCE.matcher(text).matches()) {
            throw new IllegalArgumentException("write 1 to 300 visible ASCII characters");
        }
        return text;
    }

    private static String claim(String text) {
        if (!CLAIM.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "not a claim; write its name, or a JSON pointer such as /realm_access/roles");
        }
        return text;
    }

    private List<String> values(DeclaredSetting setting, java.util.function.Function<String, String> reader) {
        return section.texts(setting).stream()
                .flatMap(text -> section.value(text, section.label(setting.key()), reader).stream())
                .toList();
    }

    private Set<String> algorithms() {
        if (!section.has(ConfigSetting.OIDC_ALGORITHMS)) {
            return new LinkedHashSet<>(OidcSettings.USUAL_ALGORITHMS);
        }
        return new LinkedHashSet<>(values(ConfigSetting.OIDC_ALGORITHMS, text -> {
            if (!OidcSettings.ALGORITHMS.contains(text)) {
                throw new IllegalArgumentException(
                        "not accepted; write some of " + String.join(", ", OidcSettings.ALGORITHMS));
            }
            return text;
        }));
    }

    private Optional<ClaimMapping> claims() {
        Optional<String> name = section.value(ConfigSetting.OIDC_NAME, OidcReader::claim);
        Optional<String> roles = section.value(ConfigSetting.OIDC_ROLES_CLAIM, OidcReader::claim);
        String tenant = section.value(ConfigSetting.OIDC_TENANT_CLAIM, OidcReader::claim)
                .orElse(null);
        List<RoleGrant> grants = new ArrayList<>();
        List<NamedNode> nodes = section.named(ConfigSetting.OIDC_ROLES);
        if (section.has(ConfigSetting.OIDC_ROLES) && nodes.isEmpty()) {
            section.fault(ConfigSetting.OIDC_ROLES, "lets nobody in: name a value of the role claim");
        }
        for (NamedNode node : nodes) {
            section.section(node.node(), "role " + ConfigText.quoted(node.name()) + " of 'oidc'", ConfigPart.OIDC_ROLE)
                    .flatMap(each -> grant(node, each))
                    .ifPresent(grants::add);
        }
        return name.isEmpty() || roles.isEmpty()
                ? Optional.empty()
                : Optional.of(new ClaimMapping(name.get(), roles.get(), tenant, grants));
    }

    private Optional<RoleGrant> grant(NamedNode node, ConfigSection each) {
        if (node.name().length() > LONGEST_VALUE) {
            section.findings().fault(node.at(), "a value of the role claim has more than 300 characters");
        }
        Optional<Role> role = OperatorReader.role(each, ConfigSetting.OIDC_ROLE_ROLE);
        Optional<TenantChoice> tenant =
                TenantChoice.read(each, ConfigSetting.OIDC_ROLE_TENANT, ConfigSetting.OIDC_ROLE_ALL);
        if (tenant.isPresent() && tenant.get().isOpen() && !section.has(ConfigSetting.OIDC_TENANT_CLAIM)) {
            each.fault(
                    ConfigSetting.OIDC_ROLE_TENANT,
                    "is missing: write the name of a tenant, all-tenants: true, or 'tenant-claim' of 'oidc'");
        }
        return role.isEmpty() || tenant.isEmpty()
                ? Optional.empty()
                : Optional.of(new RoleGrant(
                        node.name(),
                        role.get(),
                        tenant.get().tenant().orElse(null),
                        tenant.get().all()));
    }
}
