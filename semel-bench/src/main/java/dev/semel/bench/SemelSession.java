package dev.semel.bench;

import dev.semel.Channel;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.bench.BenchMessages.BenchMessage;
import dev.semel.operator.Operator;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** Semel as the bench drives it: with its audit, its defaults, and a handler that counts. */
final class SemelSession implements ComparedLibrary.Session {
    static final int HANDLERS = Channel.Capacity.DEFAULT.concurrency();

    private static final int CHUNK = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String url;
    private final Semel semel;
    private final Channel<BenchMessage> channel;
    private final int lanes;
    private final LongConsumer handler;
    private final Sending sending;

    /** How a message is sent. */
    @FunctionalInterface
    interface Sending {
        /** A call of its own, whose commit others may share. */
        Sending ALONE =
                (engine, channel, message) -> engine.send(channel, message).orThrow();

        /** In a transaction for each message, which Semel commits. */
        Sending IN_TRANSACTION = (engine, channel, message) -> engine.inTransaction(tx -> {
            tx.send(channel, message);
            return true;
        });

        /** In a transaction for each message, which the application commits. */
        static Sending joined(DataSource application) {
            return (engine, channel, message) -> {
                try (Connection connection = application.getConnection()) {
                    connection.setAutoCommit(false);
                    try (Semel.Joined joined = engine.join(connection)) {
                        joined.send(channel, message);
                        connection.commit();
                        joined.committed();
                    }
                }
            };
        }

        void send(Semel engine, Channel<BenchMessage> channel, Message<BenchMessage> message) throws Exception;
    }

    /**
     * @param url of the store
     * @param lanes among which the messages are spread; 0 for none
     */
    SemelSession(String url, Channel<BenchMessage> channel, int lanes, LongConsumer handler, Sending sending) {
        this.url = url;
        this.semel = Semel.open(url);
        this.channel = channel;
        this.lanes = lanes;
        this.handler = handler;
        this.sending = sending;
    }

    @Override
    public void load(int from, int count) {
        for (int done = 0; done < count; done += CHUNK) {
            List<Sent> sent =
                    semel.sendAll(channel, BenchMessages.messages(from + done, Math.min(CHUNK, count - done), lanes));
            sent.forEach(Sent::orThrow);
        }
    }

    @Override
    public void start() {
        if (channel instanceof Channel.Leased<BenchMessage> leased) {
            semel.handle(leased, (message, run) -> handler.accept(message.number()));
        } else {
            semel.handle((Channel.Atomic<BenchMessage>) channel, (message, tx) -> handler.accept(message.number()));
        }
    }

    @Override
    public void send(int number) throws Exception {
        sending.send(semel, channel, BenchMessages.message(number, lanes));
    }

    /** Everything is finished in the ledger, and nothing waits any more. */
    @Override
    public void settle() {
        if (!semel.drain(PATIENCE)) {
            throw new IllegalStateException("Semel still holds messages a minute after the last one was handled.");
        }
    }

    @Override
    public void verify(int sent) {
        try (Store store = Stores.open(url, StoreProvider.Options.EXISTING)) {
            for (State state : List.of(
                    State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE, State.FAILED_TERMINAL, State.UNKNOWN)) {
                List<Row> left = Operator.on(store).list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 1);
                if (!left.isEmpty()) {
                    throw new IllegalStateException(
                            "Semel handled " + sent + " messages, but one is still " + state + ".");
                }
            }
        }
    }

    @Override
    public void close() {
        semel.close();
    }
}
