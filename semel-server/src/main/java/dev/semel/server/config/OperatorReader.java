package dev.semel.server.config;

import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.console.access.Role;
import dev.semel.server.access.LocalUser;
import dev.semel.server.access.LocalUsers;
import dev.semel.server.access.Token;
import dev.semel.server.config.ConfigSection.NamedNode;
import dev.semel.server.oidc.OidcSettings;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who may operate the server.
 *
 * @param tokens of the API, whose secrets must not be those of an operator
 */
record OperatorReader(ConfigSection all, List<Token> tokens) {
    private static final Function<String, Role> ROLE = ValueForms.choice(
            Arrays.stream(Role.values()).collect(Collectors.toMap(Role::code, each -> each)),
            "viewer, operator or admin");

    /** What is without faults; the faults of the rest are reported. */
    OperatorSettings read(List<NamedNode> nodes) {
        List<LocalUser> users = new ArrayList<>();
        for (NamedNode node : nodes) {
            all.section(node.node(), "user " + ConfigText.quoted(node.name()), ConfigPart.USER)
                    .flatMap(section -> user(node, section))
                    .ifPresent(user -> add(user, users, node));
        }
        OidcSettings oidc = all.section(ConfigSetting.OIDC, ConfigPart.OIDC)
                .flatMap(section -> new OidcReader(section).read())
                .orElse(null);
        SessionLimits sessions = all.sectionOrPresets(ConfigSetting.SESSIONS, ConfigPart.SESSIONS)
                .flatMap(OperatorReader::sessions)
                .orElse(SessionLimits.USUAL);
        boolean console = all.value(ConfigSetting.CONSOLE, ValueForms::flag).orElse(true);
        boolean payloads =
                all.value(ConfigSetting.VIEWERS_SEE_PAYLOADS, ValueForms::flag).orElse(false);
        return new OperatorSettings(users, oidc, sessions, console, payloads);
    }

    private static Optional<LocalUser> user(NamedNode node, ConfigSection section) {
        Optional<List<ConfigText>> secrets = SecretSettings.read(section, ConfigSetting.USER_SECRETS);
        Optional<Role> role = role(section, ConfigSetting.USER_ROLE);
        Optional<TenantChoice> tenant = TenantChoice.read(section, ConfigSetting.USER_TENANT, ConfigSetting.USER_ALL);
        tenant.filter(TenantChoice::isOpen)
                .ifPresent(open -> section.fault(
                        ConfigSetting.USER_TENANT, "is missing: write the name of a tenant, or all-tenants: true"));
        if (secrets.isEmpty()
                || role.isEmpty()
                || tenant.isEmpty()
                || tenant.get().isOpen()) {
            return Optional.empty();
        }
        List<String> texts = secrets.get().stream().map(ConfigText::text).toList();
        return Optional.of(new LocalUser(
                node.name(), texts, role.get(), tenant.get().tenant().orElse(null)));
    }

    static Optional<Role> role(ConfigSection section, DeclaredSetting setting) {
        return section.value(setting, ROLE);
    }

    /** Secrets are checked with those before: two operators with the same one could not be told apart. */
    private void add(LocalUser user, List<LocalUser> users, NamedNode node) {
        users.add(user);
        try {
            LocalUsers.of(users);
        } catch (SemelException.Misconfigured wrong) {
            users.remove(user);
            wrong.faults().forEach(fault -> all.findings().fault(node.at(), fault));
        }
        if (tokens.stream().anyMatch(token -> user.secrets().contains(token.secret()))) {
            all.findings()
                    .fault(
                            node.at(),
                            "user " + user.name() + ": one of its secrets is that of a token of the API; draw another");
        }
    }

    private static Optional<SessionLimits> sessions(ConfigSection section) {
        Optional<Duration> idle = section.value(
                ConfigSetting.SESSIONS_IDLE,
                ValueForms.duration(Duration.ofMinutes(1), Duration.ofHours(24), "1m to 24h"));
        Optional<Duration> longest = section.value(
                ConfigSetting.SESSIONS_LONGEST,
                ValueForms.duration(Duration.ofMinutes(5), Duration.ofDays(7), "5m to 7d"));
        Optional<Integer> perUser = section.value(ConfigSetting.SESSIONS_PER_USER, ValueForms.number(1, 100));
        Optional<Boolean> secure = section.value(
                ConfigSetting.SESSIONS_COOKIES,
                ValueForms.choice(Map.of("tls", false, "always-secure", true), "tls or always-secure"));
        return idle.isEmpty() || longest.isEmpty() || perUser.isEmpty() || secure.isEmpty()
                ? Optional.empty()
                : Optional.of(new SessionLimits(idle.get(), longest.get(), perUser.get(), secure.get()));
    }

    /**
     * A tenant by name, all of them, or neither.
     *
     * @param all of them
     */
    record TenantChoice(Optional<Tenant> tenant, boolean all) {
        /** Empty when it has faults, which are reported. */
        static Optional<TenantChoice> read(ConfigSection section, DeclaredSetting name, DeclaredSetting all) {
            int before = section.findings().count();
            Optional<Tenant> tenant = section.value(name, TokenReader::tenant);
            boolean every = section.value(all, ValueForms::flag).orElse(false);
            if (tenant.isPresent() && every) {
                section.fault(name, "is set, and all-tenants too: remove one of them");
            }
            return section.findings().count() > before
                    ? Optional.empty()
                    : Optional.of(new TenantChoice(tenant, every));
        }

        boolean isOpen() {
            return tenant.isEmpty() && !all;
        }
    }
}
