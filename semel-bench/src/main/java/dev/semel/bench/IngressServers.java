package dev.semel.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program that the measured servers run: {@link MeasuredServer}, on the class path of this process. */
public final class IngressServers {
    private static final String HEAP = "-Xmx512m";

    private final List<String> program;

    private IngressServers(List<String> program) {
        this.program = List.copyOf(program);
    }

    /** On the class path of this process, which is that of the command line. */
    public static IngressServers installed() {
        return of(List.of("-cp", System.getProperty("java.class.path"), MeasuredServer.class.getName()));
    }

    /** @param program the arguments of Java, such as {@code -cp PATH MAIN} */
    public static IngressServers of(List<String> program) {
        return new IngressServers(program);
    }

    /** {@code semel serve}. */
    HttpServer serve(String name, IngressYaml.MeasuredConfig config) {
        return start(name, "serve", config.file().toString(), Integer.toString(config.port()));
    }

    /**
     * The same Jetty without a ledger.
     *
     * @param database of the API behind the gateway
     */
    HttpServer bare(String database) {
        return start("bare Jetty", "bare", database, Integer.toString(PostgresPlace.CONNECTIONS));
    }

    private HttpServer start(String name, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                HEAP));
        command.addAll(program);
        return HttpServer.start(name, command, List.of(arguments));
    }
}
