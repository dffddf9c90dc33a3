package dev.semel.demo;

import dev.semel.console.admin.ProgramFigure;
import dev.semel.server.Embedding;
import dev.semel.server.SemelServer;
import dev.semel.server.config.ConfigFile;
import dev.semel.server.config.Secrets;
import dev.semel.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * One node of the server, a process of its own: what {@code semel serve} runs. One node takes webhooks in and has the console; the others
 * are workers, which deliver. Its input brings the score for the console, one JSON array a line, and ends it.
 */
final class ServerMain {
    static final String LISTENING = "listening";
    static final String TAKES_IN = "takes-in";
    static final String DELIVERS = "delivers";

    private static final JsonMapper JSON = JsonMapper.shared();

    private ServerMain() {}

    /** Arguments: the configuration file, and what this node does. */
    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[0]);
        AtomicReference<List<ProgramFigure>> figures = new AtomicReference<>(List.of());
        Supplier<ServerConfig> reader =
                () -> ConfigFile.read(file, Secrets.ofProcess()).config();
        Embedding embedding = Embedding.PLAIN.withReader(reader).withFigures(figures::get);
        boolean worker = args[1].equals(DELIVERS);
        try (SemelServer server = SemelServer.start(reader.get(), worker ? embedding : embedding.withoutDeliveries())) {
            ChildLines.say(LISTENING + " " + server.uri() + " " + server.makeOneTimeSecret());
            ChildLines.listen(words -> figures.set(read(String.join(" ", words))));
        }
    }

    static String written(List<ProgramFigure> figures) {
        return JSON.writeValueAsString(figures);
    }

    static List<ProgramFigure> read(String line) {
        return List.of(JSON.readValue(line, ProgramFigure[].class));
    }
}
