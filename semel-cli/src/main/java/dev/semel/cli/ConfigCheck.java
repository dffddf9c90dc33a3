package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.SemelException;
import dev.semel.server.access.LocalUser;
import dev.semel.server.config.ConfigFaults;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.ConfigFinding;
import dev.semel.server.config.DestinationConfig;
import dev.semel.server.config.GatewayConfig;
import dev.semel.server.config.RouteConfig;
import dev.semel.server.config.RouteConfig.Condition;
import dev.semel.server.config.RouteConfig.Test;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.config.SourceConfig;
import dev.semel.server.config.TopicConfig;
import dev.semel.server.oidc.OidcSettings;
import dev.semel.server.oidc.RoleGrant;
import dev.semel.server.session.OperatorSettings;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
        name = "check",
        header = "Checks a configuration file of the server, and shows what it sets up.",
        description = {
            "Read-only. Needs the environment variables and files to which the configuration refers; opens no store.",
            "Exits with 1 when the file has faults. All of them are printed, each with its line and column."
        },
        mixinStandardHelpOptions = true)
final class ConfigCheck implements Callable<Integer> {
    private final Secrets secrets;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILE",
            arity = "0..1",
            defaultValue = "semel.yaml",
            description = "The file. By default ${DEFAULT-VALUE}.")
    private String file = "";

    @Mixin
    private JsonOption json = new JsonOption();

    ConfigCheck() {
        this(Secrets.ofProcess());
    }

    ConfigCheck(Secrets secrets) {
        this.secrets = secrets;
    }

    @Override
    public Integer call() {
        try {
            ConfigFile read = ConfigFile.read(path(), secrets);
            if (json.chosen()) {
                json.print(spec.commandLine().getOut(), CheckReport.of(read));
            } else {
                print(Screen.of(spec), read);
            }
            return Exit.OK.code();
        } catch (ConfigFaults wrong) {
            if (json.chosen()) {
                json.print(spec.commandLine().getOut(), CheckReport.of(wrong));
            } else {
                Screen screen = Screen.of(spec);
                wrong.findings().forEach(fault -> screen.line(Screen.plain(fault.in(file))));
            }
            return Exit.CHECK_FAILED.code();
        }
    }

    private Path path() {
        try {
            return Path.of(file);
        } catch (InvalidPathException e) {
            throw new SemelException.Invalid("The name of the file cannot be a path.", e);
        }
    }

    private void print(Screen screen, ConfigFile read) {
        ServerConfig config = read.config();
        for (ConfigFinding warning : read.warnings()) {
            screen.line(Screen.plain(
                    file + ":" + warning.line() + ":" + warning.column() + ": warning: " + warning.message()));
        }
        screen.line(
                file + ": no faults. The server listens on " + config.listen().address() + ", port "
                        + config.listen().port() + (config.listen().tls() == null ? ", without TLS." : ", with TLS."));
        sources(config).print(screen);
        topics(config).print(screen);
        routes(config).print(screen);
        destinations(config).print(screen);
        gateways(config).print(screen);
        users(config).print(screen);
        grants(config).print(screen);
        if (config.operators().isLoopbackOnly()) {
            screen.line("");
            screen.line("No users: operators are let in from the server's machine only, with a one-time secret.");
        }
    }

    private static Section users(ServerConfig config) {
        Section users = new Section("USER", "ROLE", "TENANT");
        config.operators().users().stream()
                .map(CheckedUser::of)
                .forEach(each -> users.row(each.name(), each.role(), each.tenant()));
        return users;
    }

    private static Section grants(ServerConfig config) {
        Section grants = new Section("IDENTITY PROVIDER", "VALUE", "ROLE", "TENANT");
        CheckedProvider provider = CheckedProvider.of(config.operators().oidc());
        if (provider != null) {
            provider.roles()
                    .forEach(each -> grants.row(
                            provider.issuer(), Screen.plain(each.name()), each.role(), Screen.plain(each.tenant())));
        }
        return grants;
    }

    private static Section sources(ServerConfig config) {
        Section sources = new Section("SOURCE", "POLICY", "PATH");
        config.sources().forEach(each -> sources.row(each.name(), each.policy(), each.path()));
        return sources;
    }

    private static Section topics(ServerConfig config) {
        Section topics = new Section("TOPIC", "POLICY");
        config.topics().forEach(each -> topics.row(each.name(), each.policy()));
        return topics;
    }

    private static Section routes(ServerConfig config) {
        Section routes = new Section("FROM", "TO", "WHEN");
        config.routes()
                .forEach(each -> routes.row(
                        each.from(), String.join(", ", each.to()), Screen.plain(String.join(" and ", when(each)))));
        return routes;
    }

    private static Section destinations(ServerConfig config) {
        Section destinations = new Section("DESTINATION", "POLICY", "ORDER", "AT ONCE", "URL");
        config.destinations()
                .forEach(each -> destinations.row(
                        each.name(),
                        each.policy(),
                        orderOf(each),
                        each.capacity().concurrency(),
                        each.target().origin()));
        return destinations;
    }

    private static Section gateways(ServerConfig config) {
        Section gateways = new Section("GATEWAY", "POLICY", "CALLERS", "REPEATABLE", "PATH", "API");
        config.gateways().stream()
                .map(CheckedGateway::of)
                .forEach(each -> gateways.row(
                        each.name(),
                        each.policy(),
                        each.callers(),
                        each.repeatable() ? "yes" : "no",
                        each.path(),
                        each.url()));
        return gateways;
    }

    /** A table below an empty line; nothing when it has no rows. */
    private static final class Section {
        private final Table table;
        private boolean empty = true;

        Section(String... heading) {
            this.table = new Table(heading);
        }

        void row(Object... cells) {
            table.row(cells);
            empty = false;
        }

        void print(Screen screen) {
            if (!empty) {
                screen.line("");
                table.print(screen);
            }
        }
    }

    private static String orderOf(DestinationConfig destination) {
        return destination.ordered() ? "lane" : "none";
    }

    private static List<String> when(RouteConfig route) {
        return route.when().isEmpty()
                ? List.of("always")
                : route.when().stream().map(ConfigCheck::words).toList();
    }

    private static String words(Condition condition) {
        Test test = condition.test();
        if (test instanceof Test.In in) {
            return condition.pointer() + " is "
                    + new TreeSet<>(in.values()).stream().collect(Collectors.joining(" or "));
        }
        if (test instanceof Test.Prefix prefix) {
            return condition.pointer() + " begins with " + prefix.text();
        }
        return condition.pointer() + (test.equals(new Test.Exists(true)) ? " exists" : " does not exist");
    }

    /** The result; its components are the names in the JSON. */
    record CheckReport(
            boolean ok,
            List<ConfigFinding> faults,
            List<ConfigFinding> warnings,
            @JsonUnwrapped CheckedParts parts) {
        static CheckReport of(ConfigFaults wrong) {
            return new CheckReport(false, wrong.findings(), List.of(), CheckedParts.NONE);
        }

        static CheckReport of(ConfigFile read) {
            return new CheckReport(true, List.of(), read.warnings(), CheckedParts.of(read.config()));
        }
    }

    record CheckedParts(
            List<CheckedSource> sources,
            List<TopicConfig> topics,
            List<CheckedRoute> routes,
            List<CheckedDestination> destinations,
            List<CheckedGateway> gateways,
            @JsonUnwrapped CheckedOperators operators) {
        static final CheckedParts NONE = new CheckedParts(
                List.of(), List.of(), List.of(), List.of(), List.of(), new CheckedOperators(List.of(), null));

        static CheckedParts of(ServerConfig config) {
            return new CheckedParts(
                    config.sources().stream().map(CheckedSource::of).toList(),
                    config.topics(),
                    config.routes().stream()
                            .map(each -> new CheckedRoute(each.from(), each.to(), when(each)))
                            .toList(),
                    config.destinations().stream().map(CheckedDestination::of).toList(),
                    config.gateways().stream().map(CheckedGateway::of).toList(),
                    CheckedOperators.of(config.operators()));
        }
    }

    record CheckedOperators(
            List<CheckedUser> users, @Nullable CheckedProvider oidc) {
        static CheckedOperators of(OperatorSettings operators) {
            return new CheckedOperators(
                    operators.users().stream().map(CheckedUser::of).toList(), CheckedProvider.of(operators.oidc()));
        }
    }

    /**
     * An operator, or what a value of the role claim allows.
     *
     * @param tenant a name, {@code all}, or the claim that names it
     */
    record CheckedUser(String name, String role, String tenant) {
        static CheckedUser of(LocalUser user) {
            return new CheckedUser(
                    user.name(),
                    user.role().code(),
                    user.tenant() == null ? "all" : user.tenant().name());
        }

        static CheckedUser of(RoleGrant grant, @Nullable String claim) {
            String tenant = grant.tenant() != null ? grant.tenant().name() : "claim " + claim;
            return new CheckedUser(grant.value(), grant.role().code(), grant.allTenants() ? "all" : tenant);
        }
    }

    record CheckedProvider(String issuer, List<CheckedUser> roles) {
        static @Nullable CheckedProvider of(@Nullable OidcSettings oidc) {
            return oidc == null
                    ? null
                    : new CheckedProvider(
                            oidc.provider().issuer(),
                            oidc.claims().grants().stream()
                                    .map(each ->
                                            CheckedUser.of(each, oidc.claims().tenant()))
                                    .toList());
        }
    }

    record CheckedSource(String name, String policy, String path) {
        static CheckedSource of(SourceConfig source) {
            return new CheckedSource(source.name(), source.policy(), source.path());
        }
    }

    record CheckedRoute(String from, List<String> to, List<String> when) {}

    /** @param url scheme, host and port */
    record CheckedDestination(String name, String policy, String order, int concurrency, String url) {
        static CheckedDestination of(DestinationConfig each) {
            return new CheckedDestination(
                    each.name(),
                    each.policy(),
                    orderOf(each),
                    each.capacity().concurrency(),
                    each.target().origin());
        }
    }

    /**
     * @param callers token or upstream
     * @param url scheme, host and port
     */
    record CheckedGateway(String name, String policy, String callers, boolean repeatable, String path, String url) {
        static CheckedGateway of(GatewayConfig each) {
            URI api = each.upstream().url();
            return new CheckedGateway(
                    each.name(),
                    each.rule().policy(),
                    each.callers().open() == null ? "token" : "upstream",
                    each.rule().repeatable(),
                    each.path(),
                    api.getScheme() + "://" + api.getHost() + (api.getPort() < 0 ? "" : ":" + api.getPort()));
        }
    }
}
