package dev.semel.bench;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.bench.Letters.Letter;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Semel as the bench drives it: with its audit, its defaults, and a handler that counts. */
final class SemelSession implements Contender.Session {
    static final int HANDLERS = Channel.Capacity.DEFAULT.concurrency();

    private static final int CHUNK = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Engine engine;
    private final Channel<Letter> channel;
    private final int lanes;
    private final LongConsumer handler;
    private final @Nullable DataSource senders;

    /**
     * @param lanes among which the messages are spread; 0 for none
     * @param senders connections of the application, in whose transactions messages are sent; absent for sends on their own
     */
    SemelSession(
            EngineSettings settings,
            Channel<Letter> channel,
            int lanes,
            LongConsumer handler,
            @Nullable DataSource senders) {
        this.engine = settings.open();
        this.channel = channel;
        this.lanes = lanes;
        this.handler = handler;
        this.senders = senders;
    }

    @Override
    public void load(int from, int count) {
        for (int done = 0; done < count; done += CHUNK) {
            List<Sent> sent =
                    engine.sendAll(channel, Letters.messages(from + done, Math.min(CHUNK, count - done), lanes));
            sent.forEach(Sent::orThrow);
        }
    }

    @Override
    public void start() {
        if (channel instanceof Channel.Leased<Letter> leased) {
            engine.handle(leased, (letter, run) -> handler.accept(letter.number()));
        } else {
            engine.handle((Channel.Atomic<Letter>) channel, (letter, tx) -> handler.accept(letter.number()));
        }
    }

    @Override
    public void send(int number) throws Exception {
        if (senders == null) {
            engine.send(channel, Letters.message(number, lanes)).orThrow();
            return;
        }
        try (Connection connection = senders.getConnection()) {
            connection.setAutoCommit(false);
            try (Semel.Joined joined = engine.join(connection)) {
                joined.send(channel, Letters.message(number, lanes));
                connection.commit();
                joined.committed();
            }
        }
    }

    /** Everything is finished in the ledger, and nothing waits any more. */
    @Override
    public void settle() {
        if (!engine.drain(PATIENCE)) {
            throw new IllegalStateException("Semel still holds messages a minute after the last one was handled.");
        }
    }

    @Override
    public void verify(int sent) {
        for (State state : List.of(
                State.QUEUED, State.IN_PROGRESS, State.FAILED_RETRYABLE, State.FAILED_TERMINAL, State.UNKNOWN)) {
            List<Row> left = engine.operator().list(state, RecordFilter.ALL, RecordFilter.Cursor.START, 1);
            if (!left.isEmpty()) {
                throw new IllegalStateException("Semel handled " + sent + " messages, but one is still " + state + ".");
            }
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
