package dev.semel.examples.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Prints what people see of a demo, scene by scene. Thread-safe. */
public final class Transcript {
    private static final int WIDTH = 100;

    private final PrintStream out;

    public Transcript(PrintStream out) {
        this.out = out;
    }

    /** A new scene. */
    public synchronized void scene(String title) {
        out.println();
        out.println("== " + title + " " + "=".repeat(Math.max(0, WIDTH - 4 - title.length())));
    }

    /** Somebody does or shows something somewhere. */
    public synchronized void line(String where, String who, String text) {
        out.println(String.format(Locale.ROOT, "  %-11s %-5s %s", where, who, text));
    }

    /** Something that the people in the scene do not see. */
    public void aside(String text) {
        line("", "", "... " + text);
    }
}
