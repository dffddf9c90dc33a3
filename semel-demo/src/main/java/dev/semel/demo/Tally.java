package dev.semel.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

/** One column of the score; the components are the names in the JSON, in one flat object. */
record Tally(
        @JsonUnwrapped Traffic traffic,
        @JsonUnwrapped Outcome outcome,
        @JsonUnwrapped Repetitions repetitions) {

    /**
     * What the sender did.
     *
     * @param asked webhooks that were sent, all copies
     * @param duplicates of these, those that had been sent before
     * @param acknowledged different webhooks that were acknowledged to the sender
     */
    record Traffic(long asked, long duplicates, long acknowledged) {}

    /**
     * What became of it at the bank.
     *
     * @param delivered different webhooks that were booked
     * @param doubled bookings beyond the first of the same webhook
     * @param lost webhooks that were acknowledged and will never be booked
     * @param outOfOrder webhooks that were booked after a later one of the same customer
     * @param waiting webhooks that were acknowledged and may still be booked
     */
    record Outcome(
            long delivered,
            long doubled,
            long lost,
            @JsonProperty("out_of_order") long outOfOrder,
            long waiting) {}

    /**
     * @param redelivered deliveries that the bank recognised by their key and did not book again
     * @param refused deliveries under an older fence than one it had seen
     */
    record Repetitions(long redelivered, long refused) {}

    boolean isExactlyOnce() {
        return outcome.doubled() == 0 && outcome.lost() == 0 && outcome.outOfOrder() == 0;
    }
}
