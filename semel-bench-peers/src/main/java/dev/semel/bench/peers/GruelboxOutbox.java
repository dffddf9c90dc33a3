package dev.semel.bench.peers;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import dev.semel.bench.ComparedLibrary;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * transaction-outbox: what is sent goes to an executor as soon as it is committed, and what waits is fetched by a thread that
 * flushes until there is nothing left.
 */
public final class GruelboxOutbox implements ComparedLibrary {
    private static final int THREADS = 30;
    private static final int QUEUE = 16_384;
    private static final int CHUNK = 1_000;
    private static final long PAUSE_MILLIS = 100;

    /** Its validator greets otherwise. Held, because loggers are let go with their levels. */
    private static final Logger GREETING = Logger.getLogger("org.hibernate.validator");

    static {
        GREETING.setLevel(Level.WARNING);
    }

    /** What is called later, by way of the outbox. */
    public interface Counting {
        void count(int number);
    }

    @Override
    public String name() {
        return "transaction-outbox 4.2";
    }

    @Override
    public String setUp() {
        return "at once on " + THREADS + " threads, a thread that flushes each " + PAUSE_MILLIS
                + " ms and as long as there is more; deletes what is done";
    }

    @Override
    public Session open(DataSource database, LongConsumer handler) {
        return new GruelboxSession(TransactionManager.fromDataSource(database), handler);
    }

    private static final class GruelboxSession implements Session {
        private final TransactionManager transactions;
        private final LongConsumer handler;
        private final ThreadPoolExecutor executor =
                new ThreadPoolExecutor(THREADS, THREADS, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(QUEUE));
        private final CountDownLatch ended = new CountDownLatch(1);
        private final TransactionOutbox outbox;
        private final Thread flusher = new Thread(this::flush, "bench-flush");

        GruelboxSession(TransactionManager transactions, LongConsumer handler) {
            this.transactions = transactions;
            this.handler = handler;
            this.outbox = outbox(Submitter.withExecutor(executor), Clock.systemUTC());
        }

        private TransactionOutbox outbox(Submitter submitter, Clock clock) {
            return TransactionOutbox.builder()
                    .transactionManager(transactions)
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .instantiator(Instantiator.using(type -> (Counting) handler::accept))
                    .submitter(submitter)
                    .clockProvider(() -> clock)
                    .build();
        }

        /** By one that hands nothing to an executor, and long enough ago: as if a process had died. */
        @Override
        public void load(int from, int count) {
            TransactionOutbox later =
                    outbox((entry, worker) -> {}, Clock.offset(Clock.systemUTC(), Duration.ofHours(-1)));
            for (int done = 0; done < count; done += CHUNK) {
                int begin = from + done;
                int end = from + Math.min(count, done + CHUNK);
                transactions.inTransaction(() -> {
                    Counting counting = later.schedule(Counting.class);
                    for (int number = begin; number < end; number++) {
                        counting.count(number);
                    }
                });
            }
        }

        @Override
        public void start() {
            flusher.start();
        }

        private void flush() {
            try {
                boolean more = true;
                while (more || !ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                    more = outbox.flush() && ended.getCount() > 0;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void send(int number) {
            transactions.inTransaction(() -> outbox.schedule(Counting.class).count(number));
        }

        @Override
        public void close() {
            ended.countDown();
            executor.shutdownNow();
            try {
                flusher.join(TimeUnit.SECONDS.toMillis(10));
                executor.awaitTermination(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
