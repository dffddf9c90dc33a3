package dev.semel.server.delivery;

import dev.semel.Failure;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a delivery, for people.
 *
 * @param destination its name
 * @param record the first characters of the record's id, by which it is found
 * @param attempt its number, from 1
 * @param started by the clock of the node
 */
public record AttemptRecord(
        String destination, String record, int attempt, Instant started, Duration duration, AttemptResult result) {

    /**
     * How it ended.
     *
     * @param status of the answer; null when there was none
     * @param failure null when it succeeded
     * @param answer the first kilobyte of the answer as text, without credentials; empty when there was none
     */
    public record AttemptResult(@Nullable Integer status, Failure.@Nullable Category failure, String answer) {}
}
