package dev.semel.examples.desk.outbox;

import dev.semel.examples.desk.shared.Asked;

/** A document to be uploaded, by the checksum of its bytes. */
public record UploadJob(String checksum, String quote, String channel, Asked asked) {}
