package dev.semel.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The score of the demo; the components are the names in the JSON.
 *
 * @param handwritten null unless the other receiver runs, too
 * @param bank how often the bank behaved in each way
 * @param violations what the history checker found in Semel's column; empty during the run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Score(
        double seconds,
        Tally semel,
        @JsonProperty("without_semel") @Nullable Tally handwritten,
        Kills kills,
        Map<String, Long> bank,
        List<String> violations) {
    Score {
        violations = List.copyOf(violations);
    }

    /** Processes that were killed while they worked. */
    record Kills(int workers, int senders, int receivers) {
        int all() {
            return workers + senders + receivers;
        }
    }

    /** Whether Semel's column is as promised. */
    boolean holds() {
        return semel.isExactlyOnce() && violations.isEmpty();
    }
}
