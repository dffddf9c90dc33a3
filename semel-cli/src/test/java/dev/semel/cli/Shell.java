package dev.semel.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;

/** What a command did: its exit code and what it printed. */
record Shell(int exit, String out, String err) {
    static Shell semel(String... args) {
        return run(Main.commandLine(), Ansi.OFF, args);
    }

    static Shell run(CommandLine line, Ansi ansi, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        line.setColorScheme(Help.defaultColorScheme(ansi));
        int exit = line.execute(args);
        return new Shell(exit, out.toString(), err.toString());
    }
}
