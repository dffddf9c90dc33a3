package dev.semel.engine;

import dev.semel.Semel;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/**
 * Something that an application may set with a method of {@link Semel.Settings}. {@link EngineSettings} takes its defaults and limits
 * from here, and {@code docs/configuration.md} is written from here, so that code, faults and page cannot differ.
 *
 * @param <T> what is set
 * @param method of {@link Semel.Settings}
 * @param subject as faults name it, such as "the mode"
 * @param preset what holds when it is not set
 * @param unset the same in words
 * @param allowed what may be set
 * @param meaning a sentence or two
 */
public record EngineSetting<T>(
        String method, String subject, T preset, String unset, Allowed<T> allowed, String meaning) {

    /**
     * @param test whether a value may be set
     * @param values what may be set, in words; empty when anything may
     */
    public record Allowed<T>(Predicate<T> test, String values) {}

    static final EngineSetting<Boolean> POLICY = choice(
            "withPolicy",
            "the policy",
            "the policies that ship",
            "Adds a policy that operations name, or replaces one that ships. May be set once for each name.");

    static final EngineSetting<Boolean> MODE = choice(
            "withMode",
            "the mode",
            "the environment variable `SEMEL_MODE`, or LIVE",
            "This node's own mode. The stricter of it and what an operator has set for all nodes applies.");

    static final EngineSetting<Boolean> METRICS = choice(
            "withMetrics",
            "the watch",
            "no metrics",
            "Counts and times go to Micrometer's global registry. Not together with `withWatch`.");

    static final EngineSetting<Boolean> WATCH = choice(
            "withWatch",
            "the watch",
            "nobody",
            "Is told what happens: metrics and traces in registries of your own, or a `Watch` of your own.");

    static final EngineSetting<Boolean> PLATFORM_THREADS = choice(
            "withPlatformThreads",
            "the kind of threads",
            "virtual threads, where the runtime has them",
            "Handlers of channels run on platform threads.");

    static final EngineSetting<Boolean> CLOCK = choice(
            "withClock",
            "the clock",
            "the machine's clock and the store's",
            "Where the time is read: for tests that move a clock.");

    static final EngineSetting<Integer> LOCAL_CACHE = number(
            "withLocalCache",
            "the local cache",
            0,
            "results",
            "Keeps up to so many small results in memory, so that their replays need no transaction.");

    static final EngineSetting<Boolean> AUDIT_EACH = choice(
            "withAuditOfEachReplay",
            "the audit of each replay",
            "replays and conflicts are counted",
            "Writes an audit event for each replay and conflict before it is answered. Not together with `withoutAudit`.");

    static final EngineSetting<Boolean> AUDIT_OFF = choice(
            "withoutAudit",
            "the audit",
            "outcomes are audited",
            "Writes no audit events for outcomes; operators' actions are audited all the same.");

    static final EngineSetting<Duration> AUDIT_RETENTION = time(
            "withAuditRetention",
            "the audit retention",
            Duration.ofDays(365),
            new Allowed<>(value -> value.compareTo(Duration.ofDays(1)) >= 0, "a day or more"),
            "How long audit events are kept, at least. They are removed a sealed segment at a time.");

    static final EngineSetting<Boolean> ACTIVITY_OFF = choice(
            "withoutActivityHistory",
            "the history of activity",
            "counts are written every 10 s",
            "Records no history of activity: the overview shows the present alone.");

    static final EngineSetting<Duration> RECONCILER_TIMEOUT = time(
            "withReconcilerTimeout",
            "the reconciler time-out",
            Duration.ofSeconds(30),
            new Allowed<>(value -> !value.isNegative() && !value.isZero(), "more than zero"),
            "How long a reconciler may take to answer. Then it is interrupted, and its record is asked about again later.");

    static final EngineSetting<Boolean> CODEC = choice(
            "withCodec", "the codec", "Jackson 3 with its defaults", "How payloads and results become JSON and back.");

    static final EngineSetting<Integer> LARGEST_VALUE =
            number("withLargestValue", "the largest value", 1 << 20, "bytes", "Largest payload and largest result.");

    /** All of them, in the order of {@link Semel.Settings}. */
    public static List<EngineSetting<?>> all() {
        return List.of(
                POLICY,
                MODE,
                METRICS,
                WATCH,
                PLATFORM_THREADS,
                CLOCK,
                LOCAL_CACHE,
                AUDIT_EACH,
                AUDIT_OFF,
                AUDIT_RETENTION,
                ACTIVITY_OFF,
                RECONCILER_TIMEOUT,
                CODEC,
                LARGEST_VALUE);
    }

    boolean allows(T value) {
        return allowed.test.test(value);
    }

    /** Something that is chosen or left out; any choice will do. */
    private static EngineSetting<Boolean> choice(String method, String subject, String unset, String meaning) {
        return new EngineSetting<>(method, subject, false, unset, new Allowed<>(any -> true, ""), meaning);
    }

    private static EngineSetting<Integer> number(
            String method, String subject, int preset, String unit, String meaning) {
        String unset = preset == 0 ? "none" : preset + " " + unit;
        return new EngineSetting<>(
                method, subject, preset, unset, new Allowed<>(value -> value >= 1, "1 or more"), meaning);
    }

    private static EngineSetting<Duration> time(
            String method, String subject, Duration preset, Allowed<Duration> allowed, String meaning) {
        String unset = preset.toDays() > 0 ? preset.toDays() + " days" : preset.toSeconds() + " s";
        return new EngineSetting<>(method, subject, preset, unset, allowed, meaning);
    }
}
