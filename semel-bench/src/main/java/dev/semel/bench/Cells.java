package dev.semel.bench;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Call;
import dev.semel.Semel;
import dev.semel.bench.Work.Order;
import dev.semel.bench.Work.Receipt;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Semel's cells on one engine. Replays and conflicts go round a few records that each caller has for itself, because
 * two callers of one record would wait for each other in memory.
 */
final class Cells {
    private static final int EACH = 16;

    /** Counters of two callers do not share a line of the processor's cache. */
    private static final int LINE = 32;

    private final String label;
    private final Supplier<Semel> engine;
    private final AtomicHandler<Order, Receipt> effect;

    /**
     * @param label the store's, which begins the cells' names
     * @param effect what an atomic call does besides
     */
    Cells(String label, Supplier<Semel> engine, AtomicHandler<Order, Receipt> effect) {
        this.label = label;
        this.engine = engine;
        this.effect = effect;
    }

    Cell first(int callers) {
        return Cell.of(
                label + " atomic first",
                callers,
                caller -> Work.expect(Answer.Executed.class, engine.get().run(Work.ATOMIC, Work.call(), effect)));
    }

    Cell replay(int callers) {
        Known known = new Known(callers);
        return Cell.of(
                        label + " atomic replay",
                        callers,
                        caller -> Work.expect(
                                Answer.Replayed.class, engine.get().run(Work.ATOMIC, known.next(caller), effect)))
                .preparedBy(caller -> known.on(engine.get(), on -> on.runAll(Work.ATOMIC, known.calls, Work.NOTHING)));
    }

    Cell conflict(int callers) {
        Known known = new Known(callers);
        return Cell.of(
                        label + " atomic conflict",
                        callers,
                        caller -> Work.expect(
                                Answer.Conflict.class,
                                engine.get().run(Work.ATOMIC, other(known.next(caller)), effect)))
                .preparedBy(caller -> known.on(engine.get(), on -> on.runAll(Work.ATOMIC, known.calls, Work.NOTHING)));
    }

    Cell leasedFirst(int callers) {
        return Cell.of(
                label + " leased first",
                callers,
                caller -> Work.expect(
                        Answer.Executed.class, engine.get().run(Work.LEASED, Work.call(), Work.NOTHING_LEASED)));
    }

    Cell leasedReplay(int callers) {
        Known known = new Known(callers);
        return Cell.of(
                        label + " leased replay",
                        callers,
                        caller -> Work.expect(
                                Answer.Replayed.class,
                                engine.get().run(Work.LEASED, known.next(caller), Work.NOTHING_LEASED)))
                .preparedBy(caller ->
                        known.on(engine.get(), on -> on.runAll(Work.LEASED, known.calls, Work.NOTHING_LEASED)));
    }

    Cell leasedConflict(int callers) {
        Known known = new Known(callers);
        return Cell.of(
                        label + " leased conflict",
                        callers,
                        caller -> Work.expect(
                                Answer.Conflict.class,
                                engine.get().run(Work.LEASED, other(known.next(caller)), Work.NOTHING_LEASED)))
                .preparedBy(caller ->
                        known.on(engine.get(), on -> on.runAll(Work.LEASED, known.calls, Work.NOTHING_LEASED)));
    }

    Cell atomicBatches(int callers, int size) {
        return Cell.of(
                        label + " runAll atomic",
                        callers,
                        caller -> Work.expectAll(
                                Answer.Executed.class,
                                engine.get().runAll(Work.ATOMIC, Work.calls(size), Work.NOTHING)))
                .inBatchesOf(size);
    }

    Cell leasedBatches(int callers, int size) {
        return Cell.of(
                        label + " runAll leased",
                        callers,
                        caller -> Work.expectAll(
                                Answer.Executed.class,
                                engine.get().runAll(Work.LEASED, Work.calls(size), Work.NOTHING_LEASED)))
                .inBatchesOf(size);
    }

    private static Call<Order> other(Call<Order> call) {
        return Call.of(call.tenant(), call.key(), Work.OTHER_ORDER);
    }

    /** Calls whose records exist once they have been run on the engine. */
    private static final class Known {
        private final List<Call<Order>> calls;
        private final int[] places;
        private @Nullable Semel prepared;

        Known(int callers) {
            this.calls = Work.calls(callers * EACH);
            this.places = new int[callers * LINE];
        }

        void on(Semel engine, Consumer<Semel> run) {
            if (prepared != engine) {
                run.accept(engine);
                prepared = engine;
            }
        }

        Call<Order> next(int caller) {
            return calls.get(caller * EACH + (places[caller * LINE]++ & EACH - 1));
        }
    }
}
