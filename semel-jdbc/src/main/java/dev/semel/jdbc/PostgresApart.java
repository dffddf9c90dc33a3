package dev.semel.jdbc;

import dev.semel.SemelException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A batch that has waited in vain for a lock is done half by half, without patience, until those are alone whose records
 * somebody else has locked. So a paused owner fails the calls about its own records, and no others.
 */
final class PostgresApart {
    private PostgresApart() {}

    /**
     * @param part does a part of the batch, or nothing of it if it throws {@link SemelException.Locked}
     * @param locked told each item that could not be done
     */
    static <T> void each(List<T> batch, Consumer<List<T>> part, Consumer<T> locked) {
        try {
            part.accept(batch);
        } catch (SemelException.Locked e) {
            if (batch.size() == 1) {
                locked.accept(batch.get(0));
            } else {
                halves(batch, part, locked);
            }
        }
    }

    private static <T> void halves(List<T> batch, Consumer<List<T>> part, Consumer<T> locked) {
        int middle = batch.size() / 2;
        each(batch.subList(0, middle), part, locked);
        each(batch.subList(middle, batch.size()), part, locked);
    }
}
