package dev.semel.execution;

import dev.semel.Failure;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message that failed for good and whose dead letter is not recorded yet, because its onDead handler runs in the same commit. It
 * is kept with the stored failure: the next claim of the record runs no handler but its onDead handler, and counts no attempt.
 *
 * @param failure the failure that the dead letter will have
 * @param attempts that were made
 * @param exhausted whether it died because no attempt was left
 * @param number of this death, unique among the deaths of the record
 * @param tries what became of those so far
 * @param inputs what the decision rested on, for the event of the death
 */
public record PendingDeath(
        Failure failure, int attempts, boolean exhausted, long number, Tries tries, Map<String, Object> inputs) {
    private static final String FIELD = "death";
    private static final String INPUTS = "inputs";
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
    private static final int LONGEST_ERROR = 500;

    /**
     * @param failed how many tries failed
     * @param error why the last one failed; absent before the first
     */
    public record Tries(int failed, @Nullable String error) {
        static final Tries NONE = new Tries(0, null);
    }

    /** The last attempt has failed, and nothing was tried yet. */
    public static PendingDeath of(
            Failure failure, int attempts, boolean exhausted, long number, Map<String, Object> inputs) {
        return new PendingDeath(failure, attempts, exhausted, number, Tries.NONE, inputs);
    }

    /** As it is stored; nothing when the record is not dying. */
    public static @Nullable PendingDeath read(byte @Nullable [] stored) {
        JsonNode death = stored == null ? null : Failures.fields(stored).get(FIELD);
        if (stored == null || death == null) {
            return null;
        }
        JsonNode error = death.get("error");
        return new PendingDeath(
                Failures.decode(stored),
                death.path("attempts").asInt(0),
                death.path("exhausted").asBoolean(false),
                death.path("number").asLong(0),
                new Tries(death.path("failed").asInt(0), error == null ? null : error.stringValue()),
                inputs(death.path(INPUTS)));
    }

    private static Map<String, Object> inputs(JsonNode stored) {
        Map<String, Object> inputs = new LinkedHashMap<>();
        stored.properties()
                .forEach(each -> inputs.put(
                        each.getKey(),
                        each.getValue().isIntegralNumber()
                                ? (Object) each.getValue().longValue()
                                : each.getValue().asString("")));
        return inputs;
    }

    public byte[] encode() {
        Map<String, Object> death = new LinkedHashMap<>();
        death.put("attempts", attempts);
        death.put("exhausted", exhausted);
        death.put("number", number);
        if (tries.failed > 0) {
            death.put("failed", tries.failed);
        }
        if (tries.error != null) {
            death.put("error", tries.error);
        }
        if (!inputs.isEmpty()) {
            death.put(INPUTS, inputs);
        }
        return Failures.encode(failure, null, Map.of(FIELD, death));
    }

    /** Once more has it failed. */
    public PendingDeath failed(String error) {
        String kept = error.length() > LONGEST_ERROR ? error.substring(0, LONGEST_ERROR) : error;
        return new PendingDeath(failure, attempts, exhausted, number, new Tries(tries.failed + 1, kept), inputs);
    }

    /** Until it is tried again: doubles with each failed try, up to a quarter of an hour. */
    public Duration pause() {
        int doublings = Math.min(Math.max(0, tries.failed - 1), 10);
        Duration pause = FIRST_PAUSE.multipliedBy(1L << doublings);
        return pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }

    boolean hasLongestPause() {
        return pause().equals(LONGEST_PAUSE);
    }
}
