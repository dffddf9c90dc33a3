package dev.semel.policy;

import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a retry decision rested on, as fields of its audit event: the settings of the policy, the judgement, the Retry-After, the
 * previous delay, the time to the deadline and the random number. With them the decision can be recomputed without the application
 * and its configuration.
 *
 * @param settings the policy's as they were
 * @param input what was decided on
 */
public record DecisionFields(Policy.Retry settings, RetryInput input) {
    private static final String JUDGED_BY = "judged_by";
    private static final String BACKOFF = "backoff";
    private static final String JITTER = "jitter";
    private static final String LONGEST_RETRY_AFTER = "max_retry_after";
    private static final String RETRY_AFTER = "retry_after_ms";
    private static final String PREVIOUS = "previous_ms";
    private static final String REMAINING = "remaining_ms";
    private static final String DRAW = "draw";

    /** Whether an event has these fields; those of older versions have not. */
    public static boolean areIn(Map<String, ?> event) {
        return event.containsKey(JUDGED_BY);
    }

    /** Those that count: what the policy or the judgement makes irrelevant is left out. */
    public Map<String, Object> write() {
        Map<String, Object> fields = new LinkedHashMap<>();
        Judgement judgement = input.judgement();
        fields.put(JUDGED_BY, judgedBy(judgement));
        if (!judgement.retry()) {
            return fields;
        }
        if (judgement.failure().retryAfter() != null) {
            fields.put(RETRY_AFTER, input.retryAfter().toMillis());
        }
        if (input.remaining() != null) {
            fields.put(REMAINING, input.remaining().toMillis());
        }
        fields.put(BACKOFF, Values.text(settings.backoff()));
        fields.put(LONGEST_RETRY_AFTER, Values.text(settings.maxRetryAfter()));
        if (isRandom()) {
            fields.put(JITTER, Values.text(settings.jitter()));
            fields.put(DRAW, input.draw());
        }
        if (settings.jitter() instanceof Jitter.Decorrelated && input.previous() != null) {
            fields.put(PREVIOUS, input.previous().toMillis());
        }
        return fields;
    }

    private boolean isRandom() {
        return !(settings.jitter() instanceof Jitter.None) && !(settings.backoff() instanceof Backoff.None);
    }

    /**
     * @param event all its fields; numbers may be texts
     * @throws IllegalArgumentException that names the field that is missing or cannot be read
     */
    public static DecisionFields read(Map<String, ?> event) {
        Judgement judgement = judgement(event);
        int attempt = Math.toIntExact(required(event, "attempt"));
        int of = Math.toIntExact(required(event, "of"));
        if (!judgement.retry()) {
            Policy.Retry unused = new Policy.Retry(of, new Backoff.None(), new Jitter.None(), Duration.ofHours(1));
            return new DecisionFields(unused, RetryInput.undecided(attempt, judgement));
        }
        Jitter jitter = event.containsKey(JITTER) ? Values.jitter(text(event, JITTER)) : new Jitter.None();
        long draw = event.containsKey(DRAW) ? required(event, DRAW) : 0;
        if (!Delays.isDraw(draw)) {
            throw new IllegalArgumentException("draw " + draw + " is out of range");
        }
        Policy.Retry settings = new Policy.Retry(
                of, Values.backoff(text(event, BACKOFF)), jitter, Values.duration(text(event, LONGEST_RETRY_AFTER)));
        return new DecisionFields(
                settings, new RetryInput(attempt, judgement, millis(event, PREVIOUS), millis(event, REMAINING), draw));
    }

    /** The policy that these settings make up. */
    public Policy policy() {
        Policy base = Policy.DEFAULT;
        return new Policy("audit", settings, base.limits(), base.retention(), Map.of(), base.options());
    }

    private static String judgedBy(Judgement judgement) {
        JudgementBasis basis = judgement.basis();
        return basis.source().code()
                + (basis.name() == null ? "" : " " + basis.name())
                + " " + judgement.failure().category().code()
                + (judgement.retry() ? " retry" : " no-retry");
    }

    private static Judgement judgement(Map<String, ?> event) {
        String text = text(event, JUDGED_BY);
        String[] words = text.split(" ", -1);
        String retry = words[words.length - 1];
        if (words.length < 3 || words.length > 4 || !(retry.equals("retry") || retry.equals("no-retry"))) {
            throw unreadable(JUDGED_BY, text);
        }
        JudgementBasis.Source source =
                JudgementBasis.Source.ofCode(words[0]).orElseThrow(() -> unreadable(JUDGED_BY, text));
        Failure.Category category =
                Failure.Category.ofCode(words[words.length - 2]).orElseThrow(() -> unreadable(JUDGED_BY, text));
        Object exception = event.get("exception");
        Failure failure = new Failure(
                category, category.code(), exception == null ? null : exception.toString(), millis(event, RETRY_AFTER));
        return new Judgement(
                failure, retry.equals("retry"), new JudgementBasis(source, words.length == 4 ? words[1] : null));
    }

    private static @Nullable Duration millis(Map<String, ?> event, String field) {
        return event.containsKey(field) ? Duration.ofMillis(required(event, field)) : null;
    }

    private static String text(Map<String, ?> event, String field) {
        Object value = event.get(field);
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value.toString();
    }

    private static long required(Map<String, ?> event, String field) {
        String value = text(event, field);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException wrong) {
            throw unreadable(field, value);
        }
    }

    private static IllegalArgumentException unreadable(String field, String value) {
        return new IllegalArgumentException(field + " '" + value + "' cannot be read");
    }
}
