package dev.semel.server.config;

import dev.semel.server.config.ServerConfig.Listen;
import dev.semel.server.config.ServerConfig.RequestLimits;
import dev.semel.server.config.ServerConfig.TlsFiles;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where the server listens. */
record ListenReader(ConfigSection all, Path file) {
    private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "::1", "localhost");

    Optional<Listen> read() {
        return all.sectionOrPresets(ConfigSetting.LISTEN, ConfigPart.LISTEN).flatMap(this::read);
    }

    private Optional<Listen> read(ConfigSection section) {
        Optional<String> address = section.value(ConfigSetting.LISTEN_ADDRESS, ListenReader::address);
        Optional<Integer> port = section.value(ConfigSetting.LISTEN_PORT, ValueForms.number(0, 65_535));
        Optional<Duration> drain = section.value(
                ConfigSetting.LISTEN_DRAIN, ValueForms.duration(Duration.ZERO, Duration.ofMinutes(10), "0s to 10m"));
        TlsFiles tls = section.section(ConfigSetting.LISTEN_TLS, ConfigPart.TLS)
                .flatMap(this::tls)
                .orElse(null);
        Optional<RequestLimits> limits = section.sectionOrPresets(ConfigSetting.LISTEN_LIMITS, ConfigPart.LIMITS)
                .flatMap(ListenReader::limits);
        if (address.isPresent() && !section.has(ConfigSetting.LISTEN_TLS) && !LOOPBACK.contains(address.get())) {
            section.findings()
                    .warn(
                            section.at(ConfigSetting.LISTEN_ADDRESS),
                            "the server listens on other addresses than loopback without TLS: set 'tls', or put a proxy"
                                    + " with TLS in front of it");
        }
        if (address.isEmpty() || port.isEmpty() || drain.isEmpty() || limits.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Listen(address.get(), port.get(), tls, limits.get(), drain.get()));
    }

    private static String address(String text) {
        if (!text.matches("[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")) {
            throw new IllegalArgumentException("not an address; write 127.0.0.1, ::1, 0.0.0.0 or a host name");
        }
        return text;
    }

    private static Optional<RequestLimits> limits(ConfigSection section) {
        Optional<Integer> connections = section.value(ConfigSetting.LIMITS_CONNECTIONS, ValueForms.number(1, 100_000));
        Optional<Integer> each =
                section.value(ConfigSetting.LIMITS_CONNECTIONS_PER_ADDRESS, ValueForms.number(1, 100_000));
        Optional<Integer> headers =
                section.value(ConfigSetting.LIMITS_HEADERS, ValueForms.size(1 << 10, 1 << 20, "1KiB to 1MiB"));
        Optional<Duration> idle = section.value(
                ConfigSetting.LIMITS_IDLE, ValueForms.duration(Duration.ofSeconds(1), Duration.ofHours(1), "1s to 1h"));
        if (connections.isEmpty()
                || headers.isEmpty()
                || idle.isEmpty()
                || each.isEmpty() && section.has(ConfigSetting.LIMITS_CONNECTIONS_PER_ADDRESS)) {
            return Optional.empty();
        }
        int all = connections.get();
        if (each.orElse(0) > all) {
            section.fault(
                    ConfigSetting.LIMITS_CONNECTIONS_PER_ADDRESS,
                    "is more than 'connections', which is " + all + ": write at most that");
        }
        return Optional.of(
                new RequestLimits(all, each.orElse(RequestLimits.usualPerAddress(all)), headers.get(), idle.get()));
    }

    private Optional<TlsFiles> tls(ConfigSection section) {
        Path certificate = readable(section, ConfigSetting.TLS_CERTIFICATE);
        Path key = readable(section, ConfigSetting.TLS_KEY);
        if (key != null && Secrets.isReadableByAll(key)) {
            section.findings()
                    .warn(
                            section.at(ConfigSetting.TLS_KEY),
                            "the private key of TLS can be read by every user of this machine: chmod 600 it");
        }
        return certificate == null || key == null ? Optional.empty() : Optional.of(new TlsFiles(certificate, key));
    }

    private @Nullable Path readable(ConfigSection section, DeclaredSetting setting) {
        return section.value(setting, text -> {
                    try {
                        Path path = file.toAbsolutePath().resolveSibling(text).normalize();
                        if (Files.isRegularFile(path) && Files.isReadable(path)) {
                            return path;
                        }
                    } catch (InvalidPathException wrong) {
                        throw new IllegalArgumentException("not a path", wrong);
                    }
                    throw new IllegalArgumentException("there is no such file, or this user cannot read it");
                })
                .orElse(null);
    }
}
