package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** How the demonstration stands; its components are the names in the JSON, in one flat object. */
record DemoScore(
        @JsonUnwrapped Calls calls,
        @JsonUnwrapped Effects effects,
        @JsonUnwrapped Faults faults,
        double seconds) {

    /** What callers did and were told. */
    record Calls(
            long asked,
            long executed,
            long replayed,
            @JsonProperty("in_progress") long inProgress,
            long retried,
            long unanswered) {}

    /**
     * What came of it, counted in the payments themselves.
     *
     * @param doubled payments beyond the first of the same key
     * @param lost payments that someone was told are made, and that are missing among the payments or in the ledger
     */
    record Effects(long payments, long doubled, long lost) {
        boolean exactlyOnce() {
            return doubled == 0 && lost == 0;
        }
    }

    /** What was survived. */
    @JsonPropertyOrder({"crashes", "taken_over", "redelivered"})
    record Faults(int crashes, @JsonProperty("taken_over") long takenOver, long redelivered) {}

    @JsonProperty("calls_per_s")
    long callsPerSecond() {
        return seconds > 0 ? Math.round(calls.asked / seconds) : 0;
    }
}
