package dev.semel.execution;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What stands in place of an answer while only the effect is committed: the record is COMPLETED and is never run again, and its
 * owner may still add the answer.
 *
 * @param keep how long the record is kept from the marking on, from which the time of the marking is known
 * @param lease how long the owner is trusted to be about to answer
 */
record Mark(Duration keep, Duration lease) {
    /** JSON has no NUL, so no encoded value begins like this. */
    private static final byte[] PREFIX = "\0semel:effect-committed:".getBytes(StandardCharsets.US_ASCII);

    byte[] encode() {
        byte[] times = (keep.toMillis() + ":" + lease.toMillis()).getBytes(StandardCharsets.US_ASCII);
        byte[] mark = Arrays.copyOf(PREFIX, PREFIX.length + times.length);
        System.arraycopy(times, 0, mark, PREFIX.length, times.length);
        return mark;
    }

    static @Nullable Mark of(byte @Nullable [] result) {
        int length = PREFIX.length;
        if (result == null || result.length < length || !Arrays.equals(PREFIX, 0, length, result, 0, length)) {
            return null;
        }
        String[] times = new String(result, length, result.length - length, StandardCharsets.US_ASCII).split(":", 2);
        return new Mark(Duration.ofMillis(Long.parseLong(times[0])), Duration.ofMillis(Long.parseLong(times[1])));
    }

    /**
     * @param at the end of the record's retention
     * @param now the store's clock
     */
    boolean awaitsItsAnswer(long at, long now) {
        return now < at - keep.toMillis() + lease.toMillis();
    }
}
