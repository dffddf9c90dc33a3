package dev.semel.examples.desk.demo;

import dev.semel.examples.desk.demo.SlackWorkspace.Shown;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Prints the conversation as people in Slack see it. Thread-safe. */
final class Screen {
    private static final int WIDTH = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final PrintStream out;

    Screen(PrintStream out) {
        this.out = out;
    }

    /** A new scene. */
    synchronized void scene(String title) {
        out.println();
        out.println("== " + title + " " + "=".repeat(Math.max(0, WIDTH - 4 - title.length())));
    }

    /** Somebody types or presses something. */
    void person(SlackUser user, String text) {
        line("#" + user.channel(), user.name(), text);
    }

    /** Something that people in Slack do not see. */
    void aside(String text) {
        line("", "", "... " + text);
    }

    /** Something that the desk shows. */
    void shown(Shown shown) {
        String how = switch (shown.how()) {
            case POSTED -> "";
            case UPDATED -> "(same message) ";
            case FILE -> "(file) ";
        };
        String buttons = shown.post().buttons().isEmpty()
                ? ""
                : "  "
                        + String.join(
                                " ",
                                shown.post().buttons().keySet().stream()
                                        .map(each -> "[" + each + "]")
                                        .toList());
        line("#" + shown.post().channel(), "desk", how + shown.post().text() + buttons);
    }

    private synchronized void line(String where, String who, String text) {
        out.println(String.format(Locale.ROOT, "  %-11s %-5s %s", where, who, text));
    }

    /** Waits for something that people would wait for. */
    static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("Timed out after " + PATIENCE.toSeconds() + " s waiting until " + what);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }
}
