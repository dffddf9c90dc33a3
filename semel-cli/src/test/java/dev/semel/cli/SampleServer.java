package dev.semel.cli;

import dev.semel.Tenant;
import dev.semel.console.access.Role;
import dev.semel.server.SemelServer;
import dev.semel.server.access.LocalUser;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.OperatorSettings;
import dev.semel.server.session.SessionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server on the ledger of a shop, with an administrator, a viewer, and an operator of another tenant. */
record SampleServer(SemelServer server, Path directory) implements AutoCloseable {
    private static final List<LocalUser> USERS = List.of(
            user("root", Role.ADMIN, null), user("vera", Role.VIEWER, null), user("olga", Role.OPERATOR, "other"));

    private static LocalUser user(String name, Role role, @Nullable String tenant) {
        return new LocalUser(
                name, List.of(name + "-0123456789abcdef"), role, tenant == null ? null : Tenant.of(tenant));
    }

    static ServerConfig config(String store) {
        ServerConfig.RequestLimits limits = new ServerConfig.RequestLimits(100, 8_192, Duration.ofSeconds(30));
        return new ServerConfig(
                store,
                new ServerConfig.Listen("127.0.0.1", 0, null, limits, Duration.ofSeconds(20)),
                List.of(),
                List.of(),
                new ServerConfig.Routing(List.of(), List.of(), List.of()),
                new OperatorSettings(USERS, null, SessionLimits.USUAL));
    }

    static SampleServer start(String store, Path directory, Supplier<ServerConfig> file)
            throws IOException, GeneralSecurityException {
        for (LocalUser user : USERS) {
            Files.writeString(
                    directory.resolve(user.name() + ".token"), user.secrets().get(0) + "\n");
        }
        return new SampleServer(SemelServer.start(config(store), file), directory);
    }

    /** A server with this configuration, but on a free port and with these operators. */
    static SampleServer start(ServerConfig config, String store, Path directory)
            throws IOException, GeneralSecurityException {
        ServerConfig usual = config(store);
        ServerConfig operated = new ServerConfig(
                store, usual.listen(), config.policies(), config.tokens(), config.routing(), usual.operators());
        for (LocalUser user : USERS) {
            Files.writeString(
                    directory.resolve(user.name() + ".token"), user.secrets().get(0) + "\n");
        }
        return new SampleServer(SemelServer.start(operated), directory);
    }

    /** A command on this server, by one of its operators. */
    Shell by(String person, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--url", server.uri().toString(), "--token-file", tokenFile(person)));
        return Shell.semel(all.toArray(String[]::new));
    }

    String tokenFile(String person) {
        return directory.resolve(person + ".token").toString();
    }

    @Override
    public void close() {
        server.close();
    }
}
