package dev.semel.operator;

import dev.semel.operator.RetryWindow.FailedTry;
import dev.semel.operator.RetryWindow.RecordAttempts;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.Delays;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A change of a policy that the retries of a window of time suggest. Nothing is said about fewer than {@value #LEAST} cases.
 *
 * @param setting the setting of the policy to change
 * @param sentence what was seen and what to change
 * @param figures what it rests on, by name
 */
public record RetryAdvice(
        Kind kind, String operation, String policy, String setting, String sentence, Map<String, Object> figures) {
    /** Fewer cases say nothing. */
    static final int LEAST = 5;

    /** From this share on a last attempt that succeeds is taken for luck. */
    private static final double OFTEN = 0.2;

    /**
     * All that is suggested.
     *
     * @param complete false when there are too many events in the window to look at: then it rests on the newest alone
     */
    public record AdviceList(List<RetryAdvice> advice, boolean complete) {
        public AdviceList {
            advice = List.copyOf(advice);
        }
    }

    /** What was seen. */
    public enum Kind {
        /** Retries after a category of failures never succeed. */
        RETRIES_NEVER_HELP,
        /** Nothing succeeds after some attempt, and yet there are more. */
        LATE_ATTEMPTS_NEVER_HELP,
        /** The last attempt often succeeds, so one more would help others. */
        TOO_FEW_ATTEMPTS,
        /** The backoff is shorter than what the other side asks for. */
        BACKOFF_SHORTER_THAN_RETRY_AFTER,
        /** The other side asks for more than the policy accepts. */
        RETRY_AFTER_TOO_LONG,
        /** Most retries of all are of this operation. */
        MOST_RETRIES
    }

    /** Operations may change their policy within the window. */
    private record OperationPolicy(String operation, String policy) {
        static OperationPolicy of(RecordAttempts record) {
            return new OperationPolicy(record.operation(), record.policy());
        }

        String named() {
            return operation + " (policy " + policy + ")";
        }

        RetryAdvice advice(Kind kind, String setting, String sentence, Map<String, Object> figures) {
            return new RetryAdvice(kind, operation, policy, setting, sentence, figures);
        }
    }

    static AdviceList of(RetryWindow window) {
        Map<OperationPolicy, List<RecordAttempts>> byWork = window.records().stream()
                .collect(Collectors.groupingBy(
                        OperationPolicy::of,
                        () -> new TreeMap<>(Comparator.comparing(OperationPolicy::operation)
                                .thenComparing(OperationPolicy::policy)),
                        Collectors.toList()));
        List<RetryAdvice> advice = new ArrayList<>();
        byWork.forEach((work, records) -> {
            List<RecordAttempts> ended = records.stream()
                    .filter(each -> each.wasRetried() && each.ended())
                    .toList();
            neverHelps(work, ended, advice);
            lateAttempts(work, ended, advice);
            tooFew(work, ended, advice);
            retryAfter(work, records, advice);
        });
        mostRetries(byWork, advice);
        return new AdviceList(advice, window.complete());
    }

    private static void neverHelps(OperationPolicy work, List<RecordAttempts> ended, List<RetryAdvice> advice) {
        Map<String, List<RecordAttempts>> byCategory = new TreeMap<>();
        ended.forEach(record -> record.failures().stream()
                .filter(FailedTry::retried)
                .map(FailedTry::category)
                .distinct()
                .forEach(category -> byCategory
                        .computeIfAbsent(category, any -> new ArrayList<>())
                        .add(record)));
        byCategory.forEach((category, records) -> {
            if (records.size() < LEAST || records.stream().anyMatch(each -> each.succeededAt() > 0)) {
                return;
            }
            long retries = retries(records, category);
            advice.add(work.advice(
                    Kind.RETRIES_NEVER_HELP,
                    "fail-on",
                    "Retries of " + work.named() + " after " + category + " never succeeded: " + retries
                            + " retries of " + records.size()
                            + " records, all in vain. Do not retry these exceptions (fail-on), or lower max-attempts.",
                    figures("category", category, "records", records.size(), "retries", retries)));
        });
    }

    private static long retries(List<RecordAttempts> records, String category) {
        return records.stream()
                .flatMap(each -> each.failures().stream())
                .filter(each -> each.retried() && each.category().equals(category))
                .count();
    }

    private static void lateAttempts(OperationPolicy work, List<RecordAttempts> ended, List<RetryAdvice> advice) {
        int last = ended.stream().mapToInt(RecordAttempts::succeededAt).max().orElse(0);
        if (last == 0) {
            return;
        }
        List<FailedTry> late = ended.stream()
                .flatMap(each -> each.failures().stream())
                .filter(each -> each.number("attempt") > last)
                .toList();
        long of = late.stream().mapToLong(each -> each.number("of")).max().orElse(0);
        if (late.size() >= LEAST && of > last) {
            advice.add(work.advice(
                    Kind.LATE_ATTEMPTS_NEVER_HELP,
                    "max-attempts",
                    "Nothing of " + work.named() + " succeeded after attempt " + last + ": " + late.size()
                            + " later attempts of up to " + of + " were in vain. Lower max-attempts to " + last + ".",
                    figures("last_success", last, "late_attempts", late.size(), "max_attempts", of)));
        }
    }

    private static void tooFew(OperationPolicy work, List<RecordAttempts> ended, List<RetryAdvice> advice) {
        long of = ended.stream()
                .flatMap(each -> each.failures().stream())
                .mapToLong(each -> each.number("of"))
                .max()
                .orElse(0);
        long byTheLast = ended.stream()
                .filter(each -> of > 1 && each.succeededAt() >= of)
                .count();
        if (byTheLast >= LEAST && byTheLast >= OFTEN * ended.size()) {
            advice.add(work.advice(
                    Kind.TOO_FEW_ATTEMPTS,
                    "max-attempts",
                    byTheLast + " of " + ended.size() + " retried records of " + work.named()
                            + " succeeded only with the last of " + of + " attempts. Raise max-attempts to " + (of + 2)
                            + ".",
                    figures("last_attempt_succeeded", byTheLast, "records", ended.size(), "max_attempts", of)));
        }
    }

    private static void retryAfter(OperationPolicy work, List<RecordAttempts> records, List<RetryAdvice> advice) {
        List<FailedTry> asked = records.stream()
                .flatMap(each -> each.failures().stream())
                .filter(each -> each.number("retry_after_ms") > 0)
                .toList();
        List<FailedTry> shorter = asked.stream()
                .filter(each -> each.retried() && backoffMillis(each) < each.number("retry_after_ms"))
                .toList();
        if (shorter.size() >= LEAST && shorter.size() * 2 > asked.size()) {
            long longest = longest(shorter, each -> each.number("retry_after_ms"));
            long backoff = longest(shorter, RetryAdvice::backoffMillis);
            advice.add(work.advice(
                    Kind.BACKOFF_SHORTER_THAN_RETRY_AFTER,
                    "backoff",
                    "The backoff of " + work.named() + " was shorter than the Retry-After in " + shorter.size() + " of "
                            + asked.size() + " failures: at most " + backoff + " ms, but up to " + longest
                            + " ms were asked for. Start the backoff at " + longest + " ms.",
                    figures("shorter", shorter.size(), "retry_afters", asked.size(), "longest_ms", longest)));
        }
        List<FailedTry> tooLong = asked.stream()
                .filter(each -> !each.retried() && each.category().equals("rate_limited"))
                .filter(RetryAdvice::isBeyondLimit)
                .toList();
        if (tooLong.size() >= LEAST) {
            long longest = longest(tooLong, each -> each.number("retry_after_ms"));
            advice.add(work.advice(
                    Kind.RETRY_AFTER_TOO_LONG,
                    "max-retry-after",
                    tooLong.size() + " records of " + work.named()
                            + " failed as rate_limited because a Retry-After of up to " + longest
                            + " ms is longer than max-retry-after. Raise max-retry-after, or send less.",
                    figures("records", tooLong.size(), "longest_ms", longest)));
        }
    }

    private static long longest(List<FailedTry> failures, Function<FailedTry, Long> value) {
        return failures.stream().mapToLong(value::apply).max().orElse(0);
    }

    /** The backoff without jitter; what cannot be read counts as long, so that nothing is said about it. */
    private static long backoffMillis(FailedTry failed) {
        try {
            DecisionFields fields = DecisionFields.read(failed.details());
            return Delays.capped(fields.settings().backoff(), fields.input().attempt())
                    .toMillis();
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            return Long.MAX_VALUE;
        }
    }

    private static boolean isBeyondLimit(FailedTry failed) {
        try {
            long limit = DecisionFields.read(failed.details())
                    .settings()
                    .maxRetryAfter()
                    .toMillis();
            return failed.number("retry_after_ms") > limit;
        } catch (IllegalArgumentException | ArithmeticException unreadable) {
            return false;
        }
    }

    private static void mostRetries(Map<OperationPolicy, List<RecordAttempts>> byWork, List<RetryAdvice> advice) {
        Map<OperationPolicy, Long> retries = new LinkedHashMap<>();
        byWork.forEach((work, records) -> retries.put(
                work,
                records.stream()
                        .flatMap(each -> each.failures().stream())
                        .filter(FailedTry::retried)
                        .count()));
        retries.values().removeIf(count -> count == 0);
        long all = retries.values().stream().mapToLong(Long::longValue).sum();
        retries.forEach((work, count) -> {
            if (retries.size() > 1 && all >= 2 * LEAST && count * 2 > all) {
                advice.add(work.advice(
                        Kind.MOST_RETRIES,
                        "retry-budget",
                        work.named() + " spends " + count + " of " + all + " retries (" + 100 * count / all
                                + " %). Look at its failures first; on a channel retry-budget bounds them.",
                        figures("retries", count, "all_retries", all)));
            }
        });
    }

    private static Map<String, Object> figures(Object... namesAndValues) {
        Map<String, Object> figures = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            figures.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return figures;
    }
}
