package dev.semel.api;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.spi.ToolProvider;

/** Compiles in this process. */
final class Javac {
    private Javac() {}

    /** What the compiler has to say; nothing when all is well. */
    static String run(List<String> arguments) {
        ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
        StringWriter told = new StringWriter();
        PrintWriter writer = new PrintWriter(told, true);
        int exit = javac.run(writer, writer, arguments.toArray(String[]::new));
        return exit == 0 ? "" : "exit " + exit + ": " + told;
    }
}
