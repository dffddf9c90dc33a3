package dev.semel.cli;

import java.io.Console;

/** Whether a person sits there. */
final class Terminal {
    private Terminal() {}

    /** Whether questions can be asked and answered. */
    static boolean answers() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // From Java 22 on there is a console without a terminal too.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException e) {
            return true;
        }
    }

    /** Whether what is written to the standard error is seen at once; the launcher tells, as Java cannot. */
    static boolean watches() {
        return System.getProperty("semel.progress", "none").equals("bar") || answers();
    }

    static boolean agrees(String question) {
        String answer = System.console().readLine("%s [y/N] ", question);
        return answer != null
                && answer.strip().toLowerCase(java.util.Locale.ROOT).matches("y|yes");
    }
}
