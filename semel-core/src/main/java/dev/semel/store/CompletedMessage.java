package dev.semel.store;

import dev.semel.key.RecordId;

/**
 * A message that was handled, without its contents.
 *
 * @param place the order of its lane, see {@link Line#place}
 * @param fence of the grant under which it was completed
 * @param size of its payload in bytes; 0 when it has none
 */
public record CompletedMessage(RecordId id, long place, long fence, int size) {}
