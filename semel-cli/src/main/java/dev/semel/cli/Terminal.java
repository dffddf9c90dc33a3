package dev.semel.cli;

import java.io.Console;

/** Whether standard input and error are a terminal. */
final class Terminal {
    private Terminal() {}

    /** Whether a person can answer questions. */
    static boolean answers() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // Since Java 22 there may be a console without a terminal.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Whether standard error is a terminal; the launcher reports it, because Java cannot detect it. */
    static boolean watches() {
        return System.getProperty("semel.progress", "none").equals("bar") || answers();
    }

    static boolean agrees(String question) {
        String answer = System.console().readLine("%s [y/N] ", question);
        return answer != null
                && answer.strip().toLowerCase(java.util.Locale.ROOT).matches("y|yes");
    }
}
