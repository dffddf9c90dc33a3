package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;
import java.util.List;

/**
 * A document to be rendered. It holds all that is printed, so that the same job always gives the same bytes.
 *
 * @param lines of the page
 */
public record RenderJob(String quote, String title, List<String> lines, Asked asked) {
    public RenderJob {
        lines = List.copyOf(lines);
    }
}
