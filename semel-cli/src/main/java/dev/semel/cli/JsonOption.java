package dev.semel.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The option for JSON output. */
final class JsonOption {
    @Option(names = "--json", description = "Print JSON.")
    private boolean chosen;

    boolean chosen() {
        return chosen;
    }

    void print(PrintWriter out, Object value) {
        out.println(Mapper.INDENTED.writeValueAsString(value));
    }

    /** Made at its first use: its classes would take a third of a second from every command. */
    private static final class Mapper {
        static final JsonMapper INDENTED =
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    }
}
