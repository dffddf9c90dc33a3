package dev.semel.examples.desk.slack;

import tools.jackson.databind.JsonNode;

/**
 * What Socket Mode delivers.
 *
 * @param type {@code slash_commands}, {@code interactive} or {@code events_api}
 * @param payload as by HTTP, always as JSON
 * @param retryAttempt grows with every redelivery, so it is not part of the meaning
 */
record Envelope(String type, JsonNode payload, int retryAttempt) {}
