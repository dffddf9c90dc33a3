package dev.semel.cli;

import dev.semel.Tenant;
import dev.semel.server.OperatorAccess;
import dev.semel.server.SemelServer;
import dev.semel.server.ServerHooks;
import dev.semel.server.access.AdminAccess.AdminAuthentication;
import dev.semel.server.access.Person;
import dev.semel.server.access.Role;
import dev.semel.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A server on the ledger of a shop. Its operators are known by tokens that are their names. */
record SampleServer(SemelServer server, Path directory) implements AutoCloseable {
    private static final Map<String, Person> PEOPLE = Map.of(
            "root", new Person("root", Role.ADMIN, null),
            "vera", new Person("vera", Role.VIEWER, null),
            "olga", new Person("olga", Role.OPERATOR, Tenant.of("other")));

    private static final OperatorAccess ACCESS = (config, engine) -> request -> {
        String header = String.valueOf(request.getHeader("Authorization"));
        Person person = PEOPLE.get(header.replaceFirst("^Bearer ", ""));
        return person == null
                ? new AdminAuthentication.Unknown("there is no such token")
                : new AdminAuthentication.Known(person);
    };

    static ServerConfig config(String store) {
        ServerConfig.RequestLimits limits = new ServerConfig.RequestLimits(100, 8_192, Duration.ofSeconds(30));
        return new ServerConfig(
                store,
                new ServerConfig.Listen("127.0.0.1", 0, null, limits, Duration.ofSeconds(20)),
                List.of(),
                List.of(),
                new ServerConfig.Routing(List.of(), List.of(), List.of()));
    }

    static SampleServer start(String store, Path directory, Supplier<ServerConfig> file)
            throws IOException, GeneralSecurityException {
        for (String name : PEOPLE.keySet()) {
            Files.writeString(directory.resolve(name + ".token"), name + "\n");
        }
        return new SampleServer(SemelServer.start(config(store), new ServerHooks(file, ACCESS)), directory);
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
