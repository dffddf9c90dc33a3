package dev.semel.policy;

import dev.semel.Failure;

/**
 * What a thrown exception amounts to.
 *
 * @param failure what is recorded and shown
 * @param retry whether another attempt may help, attempts and time permitting
 */
public record Judgement(Failure failure, boolean retry) {}
