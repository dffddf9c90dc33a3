package dev.semel.execution;

import dev.semel.key.ValueCodec;
import java.util.random.RandomGenerator;

/**
 * What a leased handler and its steps need: their records, the modes, and a sender for their messages.
 *
 * @param codec for the results of the handler and its steps
 * @param random for the owners of the steps' reservations
 */
public record StepTools(
        GroupedLedger ledger, CurrentModes modes, ValueCodec codec, RandomGenerator random, MessageSender sender) {}
