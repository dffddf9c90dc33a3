package dev.semel.console.admin;

import dev.semel.Failure;
import dev.semel.audit.Events;
import dev.semel.key.RecordId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to deliver a message to a destination.
 *
 * @param record its record, by which its whole story is found
 * @param attempt its number, from 1
 * @param ended by the clock of the store
 * @param duration null when it was not noted
 */
public record DeliveryAttempt(
        RecordId record,
        int attempt,
        Instant ended,
        @Nullable Duration duration,
        DeliveryResult result) {
    /** The note of a run in which the first kilobyte of the answer stands. Only people who may see contents see it. */
    public static final String ANSWER_NOTE = "answer";

    /** Where an event of the audit has that note. */
    static final String ANSWER_FIELD = Events.NOTE + ANSWER_NOTE;

    /**
     * How it ended.
     *
     * @param status of the answer; null when there was none
     * @param failure null when it succeeded
     * @param answer the first kilobyte of the answer as text, without credentials; empty when there was none
     */
    public record DeliveryResult(@Nullable Integer status, Failure.@Nullable Category failure, String answer) {}
}
