package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;

/**
 * The summary of a quote for the CRM.
 *
 * @param reference the external reference: the same in every delivery, so that the CRM keeps one deal
 */
public record CrmRecord(String reference, String quote, String customer, long totalCents, Asked asked) {}
