package dev.semel.cli;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** The score of the demo; its components are the names in the JSON, in one flat object. */
record DemoScore(
        @JsonUnwrapped Calls calls,
        @JsonUnwrapped Effects effects,
        @JsonUnwrapped Faults faults,
        double seconds) {

    /** The calls and their answers. */
    record Calls(
            long asked,
            long executed,
            long replayed,
            @JsonProperty("in_progress") long inProgress,
            long retried,
            long unanswered) {}

    /**
     * The effects, counted in the payments.
     *
     * @param doubled payments beyond the first of the same key
     * @param lost confirmed payments that are missing in the table or in the ledger
     */
    record Effects(long payments, long doubled, long lost) {
        boolean exactlyOnce() {
            return doubled == 0 && lost == 0;
        }
    }

    /** The survived faults. */
    @JsonPropertyOrder({"crashes", "taken_over", "redelivered"})
    record Faults(int crashes, @JsonProperty("taken_over") long takenOver, long redelivered) {}

    @JsonProperty("calls_per_s")
    long callsPerSecond() {
        return seconds > 0 ? Math.round(calls.asked / seconds) : 0;
    }
}
