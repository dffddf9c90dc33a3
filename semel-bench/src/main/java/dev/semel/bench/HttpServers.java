package dev.semel.bench;

import dev.semel.SemelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The program that the servers under measurement run. It is no part of the command line, because of what it brings along: the
 * launcher builds a jar of it when it is wanted.
 *
 * <p>It is given the port of its controller, and the service, level, JDBC URL and number of connections to serve with. It
 * connects to its controller, says {@code ready PORT} when it serves, answers {@code heap} with the bytes that are in use after
 * collections, and ends when its controller is gone.
 */
public final class HttpServers {
    private static final String PROPERTY = "semel.servers";

    private final List<String> program;

    private HttpServers(List<String> program) {
        this.program = List.copyOf(program);
    }

    /**
     * That of the jar which the system property {@code semel.servers} names.
     *
     * @throws SemelException.Misconfigured when there is none
     */
    public static HttpServers installed() {
        String jar = System.getProperty(PROPERTY, "");
        if (jar.isBlank() || !Files.isRegularFile(Path.of(jar))) {
            throw new SemelException.Misconfigured(
                    "bench http",
                    List.of("the servers to measure are missing"
                            + (jar.isBlank() ? "" : ": there is no " + jar)
                            + "; ./semel builds them with Maven, and says above why it could not; without the launcher,"
                            + " build the module semel-bench-servers and say -D" + PROPERTY + "=<its jar>"));
        }
        return of(List.of("-jar", jar));
    }

    /**
     * The servers of another version.
     *
     * @param jar the one that the launcher built of that version
     * @throws SemelException.Misconfigured when there is none
     */
    public static HttpServers ofJar(Path jar) {
        if (!Files.isRegularFile(jar)) {
            throw new SemelException.Misconfigured(
                    "bench http",
                    List.of("--before " + jar
                            + ": there is no such file. Run './semel bench http --help' in a checkout of"
                            + " the earlier version; it leaves the jar as .semel/servers-*.jar"));
        }
        return of(List.of("-jar", jar.toString()));
    }

    /** @param program the arguments of Java, such as {@code -cp PATH MAIN} */
    public static HttpServers of(List<String> program) {
        return new HttpServers(program);
    }

    /**
     * A server in a Java of the same kind as this one, with a heap of half a gigabyte.
     *
     * @param suffix of its name
     */
    HttpServer start(HttpService service, HttpServer.Level level, String suffix, String database) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx512m"));
        command.addAll(program);
        return HttpServer.start(
                service.label() + " " + level.label() + suffix,
                command,
                List.of(service.label(), level.label(), database, Integer.toString(PostgresPlace.CONNECTIONS)));
    }
}
