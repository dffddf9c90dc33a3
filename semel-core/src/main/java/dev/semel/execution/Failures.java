package dev.semel.execution;

import dev.semel.Failure;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Failures as they are stored. */
public final class Failures {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Granted, and given back because the store was too slow. */
    static final Failure LEASE_OVER_BEFORE_START = Failure.of(
            Failure.Category.NETWORK,
            "The store answered so slowly that the lease was over before the handler began; this attempt was not run. Ask again.");

    /** Granted, and given back because nobody knows whether it was switched off meanwhile. */
    static final Failure MODES_NOT_READ = Failure.of(
            Failure.Category.NETWORK,
            "The store did not answer in time whether this kind of work is switched off; it was not started, or not continued. Ask again.");

    /** Not run because of the limit for all tenants of its operation together. */
    public static final Failure RATE_LIMITED = Failure.of(
            Failure.Category.RATE_LIMITED,
            "There are too many calls of this kind at the moment (rate limit); nothing was run or stored. Ask again later.");

    /** Not run because of the limit for its tenant. */
    public static final Failure TENANT_RATE_LIMITED = Failure.of(
            Failure.Category.RATE_LIMITED,
            "This tenant makes too many calls of this kind at the moment (rate limit); nothing was run or stored. Ask again"
                    + " later.");

    /** Not run because its breaker is open. */
    public static final Failure BREAKER_OPEN = Failure.of(
            Failure.Category.DISABLED,
            "Calls of this kind kept failing, so none is run for a while (the circuit breaker is open); nothing was run. Ask"
                    + " again later.");

    /** The breaker opened between the attempts of one call. */
    public static final Failure BREAKER_OPENED = Failure.of(
            Failure.Category.DISABLED,
            "An attempt failed, and the next was not run: calls of this kind kept failing, so none is run for a while (the circuit"
                    + " breaker is open). Ask again later.");

    private static final Failure ONLY_REPLAYED =
            Failure.of(Failure.Category.UNKNOWN, "An operator replayed it; its audit events tell what came before.");

    private static final String REPLAYED = "replayed";
    private static final String COUNTED = "counted_under";

    private Failures() {}

    /** Whether this failure says that a rate limit of the operation stopped the call. */
    public static boolean isRateLimit(Failure failure) {
        return failure.equals(RATE_LIMITED) || failure.equals(TENANT_RATE_LIMITED);
    }

    /** Whether this failure says that the operation's breaker stopped the call. */
    public static boolean isBreakerOpen(Failure failure) {
        return failure.equals(BREAKER_OPEN) || failure.equals(BREAKER_OPENED);
    }

    public static byte[] encode(Failure failure) {
        return encode(failure, null);
    }

    /** @param delay before the next attempt, from which a decorrelated backoff continues */
    static byte[] encode(Failure failure, @Nullable Duration delay) {
        return encode(failure, delay, Map.of());
    }

    /**
     * @param delay before the next attempt
     * @param replayed whether an operator replayed the record
     */
    static byte[] encode(Failure failure, @Nullable Duration delay, boolean replayed) {
        return encode(failure, delay, replayed ? Map.of(REPLAYED, true) : Map.of());
    }

    /** @param more fields beside those of the failure */
    static byte[] encode(Failure failure, @Nullable Duration delay, Map<String, ?> more) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("category", failure.category().code());
        fields.put("reason", failure.reason());
        if (failure.exception() != null) {
            fields.put("exception", failure.exception());
        }
        if (failure.retryAfter() != null) {
            fields.put("retry_after_ms", failure.retryAfter().toMillis());
        }
        if (delay != null) {
            fields.put("delay_ms", delay.toMillis());
        }
        fields.putAll(more);
        return JSON.writeValueAsBytes(fields);
    }

    /**
     * The failure as it was stored, perhaps by a newer version of Semel: a category that this version does not know is
     * {@code unknown}, so that the record can still be claimed, shown and replayed.
     */
    public static Failure decode(byte[] stored) {
        JsonNode fields = fields(stored);
        return new Failure(
                Failure.Category.ofCode(fields.path("category").asString("")).orElse(Failure.Category.UNKNOWN),
                fields.path("reason").asString(""),
                fields.has("exception") ? fields.get("exception").stringValue() : null,
                fields.has("retry_after_ms")
                        ? Duration.ofMillis(fields.get("retry_after_ms").longValue())
                        : null);
    }

    static JsonNode fields(byte[] stored) {
        return JSON.readTree(new String(stored, StandardCharsets.UTF_8));
    }

    /** Whether the record's last failure is a lost lease. The next claim then treats it as a suspect. */
    static boolean isLeaseLost(byte @Nullable [] stored) {
        return stored != null && decode(stored).category() == Failure.Category.LEASE_LOST;
    }

    /**
     * What is kept of the failure of a message that somebody decided to run again: nothing of a lost lease, so that it is no
     * suspect any more, and nothing of a death that was not recorded, so that it is not dying any more. The audit keeps the reason.
     */
    public static byte @Nullable [] decided(byte @Nullable [] stored) {
        if (stored == null || isLeaseLost(stored)) {
            return null;
        }
        PendingDeath dying = PendingDeath.read(stored);
        return dying == null ? stored : encode(dying.failure());
    }

    /** As {@link #decided}, with the mark of a replay by an operator. */
    public static byte[] replayed(byte @Nullable [] stored) {
        byte[] kept = decided(stored);
        return kept == null ? encode(ONLY_REPLAYED, null, true) : encode(decode(kept), delay(kept), true);
    }

    /** Whether an operator replayed the record since its first attempt. */
    static boolean isReplayed(byte @Nullable [] stored) {
        return stored != null && fields(stored).path(REPLAYED).asBoolean(false);
    }

    /**
     * The stored failure with the mark that the attempt under this fence is counted already.
     *
     * @param stored as {@link #encode(Failure)} writes it
     */
    static byte[] counted(byte[] stored, long fence) {
        Map<String, Object> marks = new LinkedHashMap<>();
        marks.put(COUNTED, Long.toString(fence));
        if (isReplayed(stored)) {
            marks.put(REPLAYED, true);
        }
        return encode(decode(stored), delay(stored), marks);
    }

    /** Whether the attempt under this fence was counted before it began. */
    static boolean isCounted(byte @Nullable [] stored, long fence) {
        return stored != null && fields(stored).path(COUNTED).asString("").equals(Long.toString(fence));
    }

    /** The delay that the attempt before the present one was followed by. */
    static @Nullable Duration delay(byte @Nullable [] stored) {
        if (stored == null) {
            return null;
        }
        JsonNode delay = fields(stored).get("delay_ms");
        return delay == null ? null : Duration.ofMillis(delay.longValue());
    }
}
