package dev.semel.cli;

import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.Policy.Jitter;
import dev.semel.policy.Delays;
import dev.semel.policy.PolicySetting;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A policy in words. */
record PolicyWords(Policy policy) {
    private static final int MOST_PAUSES = 8;

    /** One line for each thing that a policy decides. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("name", policy.name() + " (" + policy.code() + " in audit and metrics)");
        facts.put("attempts", attempts());
        facts.put(
                "retry-after",
                "respected up to " + time(policy.retry().maxRetryAfter())
                        + "; a longer one ends the record as rate_limited");
        facts.put(
                "budget",
                policy.retry().budget() == 0
                        ? "none: retries of a channel are not limited"
                        : policy.retry().budget() + " retries a second of one channel, on all nodes together");
        facts.put(
                "time-out",
                time(policy.limits().attemptTimeout()) + " for an attempt; then its handler is interrupted");
        facts.put(
                "deadline",
                policy.limits().deadline() == null
                        ? "none: an attempt may start at any time"
                        : time(policy.limits().deadline()) + " from acceptance; no attempt starts after it");
        facts.put("lease", time(policy.limits().lease()) + " without renewal; then the run counts as interrupted");
        facts.put(
                "repeatable",
                (policy.options().repeatable() ? "yes" : "no")
                        + ", unless the operation or channel declares otherwise");
        facts.put("retried", String.join(", ", categories(Category::retried)));
        facts.put("not retried", String.join(", ", categories(category -> !category.retried())));
        rules("also retried", PolicySetting.RETRY_ON, facts);
        rules("never retried", PolicySetting.FAIL_ON, facts);
        facts.put("stored", stored().isEmpty() ? "no failures" : String.join(", ", stored()));
        facts.put(
                "kept",
                "results " + time(policy.retention().success()) + ", failures "
                        + time(policy.retention().failure()) + ", dead letters "
                        + time(policy.retention().deadLetters()));
        if (policy.limits().redelivery() != null) {
            facts.put(
                    "redelivery",
                    "its transport may deliver again for "
                            + time(policy.limits().redelivery()));
        }
        facts.put("dead letters", deadLetters());
        return facts;
    }

    private void rules(String name, PolicySetting setting, Map<String, String> facts) {
        setting.of(policy).ifPresent(classes -> facts.put(name, classes));
    }

    private String attempts() {
        int most = policy.retry().maxAttempts();
        return most == 1 ? "1: there is no second one" : most + ": attempt 1 at once, then " + pauses();
    }

    private String deadLetters() {
        if (!policy.options().deadLetters()) {
            return "none: a message that fails for good is dropped, with its audit event";
        }
        return policy.options().deadHead() == Policy.DeadHead.PARK_LANE
                ? "what fails for good; its lane stops until it is replayed or discarded"
                : "what fails for good; its lane continues";
    }

    /** The pauses between attempts, with their jitter. */
    String pauses() {
        List<Duration> delays = delays();
        if (delays.isEmpty()) {
            return "";
        }
        Jitter jitter = policy.retry().jitter();
        if (jitter instanceof Jitter.Decorrelated
                && policy.retry().backoff() instanceof Policy.Backoff.Exponential grows) {
            return "after a random time from " + time(grows.base()) + " to three times the last pause, at most "
                    + time(grows.cap());
        }
        if (delays.stream().allMatch(Duration::isZero)) {
            return "at once";
        }
        String listed = Stream.concat(
                        delays.stream().limit(MOST_PAUSES).map(PolicyWords::time),
                        Stream.of("...").filter(more -> delays.size() > MOST_PAUSES))
                .collect(Collectors.joining(", "));
        if (jitter instanceof Jitter.Full) {
            return "after 0 to " + listed;
        }
        if (jitter instanceof Jitter.Bounded bounded) {
            String percent = plain(bounded.fraction() * 100);
            return "after " + listed + ", each \u00b1 " + percent + " %";
        }
        return "after " + listed + (jitter instanceof Jitter.Equal ? ", each at least half" : "");
    }

    /** Before jitter. Those of the first hundred attempts: the last one repeats. */
    List<Duration> delays() {
        return IntStream.range(1, Math.min(policy.retry().maxAttempts(), 100))
                .mapToObj(failed -> Delays.capped(policy.retry().backoff(), failed))
                .toList();
    }

    List<String> categories(Predicate<Category> which) {
        return Stream.of(Category.values()).filter(which).map(Category::code).toList();
    }

    /** The categories whose failure is told to the next caller, too. */
    List<String> stored() {
        return policy.options().storeFailures() ? categories(Category::stored) : List.of();
    }

    /** In the unit that reads best: 250 ms, 1.2 s, 60 s, 5 min, 24 h, 7 d. */
    static String time(Duration duration) {
        long millis = duration.toMillis();
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis % 1_000 != 0) {
            return plain(millis / 1_000.0) + " s";
        }
        long seconds = millis / 1_000;
        if (seconds > 86_400 && seconds % 86_400 == 0) {
            return seconds / 86_400 + " d";
        }
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds > 120 && seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }

    private static String plain(double number) {
        return new BigDecimal(String.valueOf(number)).stripTrailingZeros().toPlainString();
    }
}
