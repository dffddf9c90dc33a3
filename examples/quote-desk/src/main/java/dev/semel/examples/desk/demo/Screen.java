package dev.semel.examples.desk.demo;

import dev.semel.examples.demo.Transcript;
import dev.semel.examples.desk.demo.SlackWorkspace.Shown;
import java.io.PrintStream;

/** Prints the conversation as people in Slack see it. Thread-safe. */
final class Screen {
    private final Transcript transcript;

    Screen(PrintStream out) {
        transcript = new Transcript(out);
    }

    /** A new scene. */
    void scene(String title) {
        transcript.scene(title);
    }

    /** Somebody types or presses something. */
    void person(SlackUser user, String text) {
        transcript.line("#" + user.channel(), user.name(), text);
    }

    /** Something that people in Slack do not see. */
    void aside(String text) {
        transcript.aside(text);
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
        transcript.line("#" + shown.post().channel(), "desk", how + shown.post().text() + buttons);
    }
}
