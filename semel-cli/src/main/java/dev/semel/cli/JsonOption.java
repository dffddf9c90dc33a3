package dev.semel.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The option for JSON output. */
final class JsonOption {
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    @Option(names = "--json", description = "Print JSON.")
    private boolean chosen;

    boolean chosen() {
        return chosen;
    }

    void print(PrintWriter out, Object value) {
        out.println(MAPPER.writeValueAsString(value));
    }
}
