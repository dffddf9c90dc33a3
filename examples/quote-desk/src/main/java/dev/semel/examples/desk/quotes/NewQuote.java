package dev.semel.examples.desk.quotes;

import dev.semel.examples.desk.shared.Asked;

/**
 * What a quote is made of.
 *
 * @param discount in percent
 */
public record NewQuote(String customer, String product, int quantity, int discount, Asked asked) {}
