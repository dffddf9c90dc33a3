package dev.semel.bench;

import dev.semel.Answer;
import dev.semel.AtomicHandler;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.bench.Work.Order;
import dev.semel.bench.Work.Receipt;
import java.util.List;

/** Semel's sends on one engine that handles nothing. */
final class SendCells {
    static final List<Integer> CALLERS = List.of(1, 8, 64);
    static final int BATCH = 512;

    private final String label;
    private final Semel engine;
    private final AtomicHandler<Order, Receipt> effect;

    /** @param effect what an operation does besides sending */
    SendCells(String label, Semel engine, AtomicHandler<Order, Receipt> effect) {
        this.label = label;
        this.engine = engine;
        this.effect = effect;
    }

    Cell oneByOne(int callers) {
        return Cell.of(
                label + " send",
                callers,
                caller -> engine.send(BenchMessages.FREE, BenchMessages.message(0, 0))
                        .orThrow());
    }

    /** Effect, record and message in one transaction of Semel's. */
    Cell withEffect(int callers) {
        return Cell.of(
                label + " send in an atomic operation",
                callers,
                caller -> Work.expect(Answer.Executed.class, engine.run(Work.ATOMIC, Work.call(), (order, tx) -> {
                    tx.send(BenchMessages.FREE, BenchMessages.message(0, 0));
                    return effect.run(order, tx);
                })));
    }

    Cell batches(int callers) {
        return Cell.of(
                        label + " sendAll",
                        callers,
                        caller -> engine.sendAll(BenchMessages.FREE, BenchMessages.messages(0, BATCH, 0))
                                .forEach(Sent::orThrow))
                .inBatchesOf(BATCH);
    }
}
