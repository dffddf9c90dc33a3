package dev.semel.bench.peers;

import dev.semel.bench.ComparedLibrary;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.OutboxProcessingScheduler;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import java.util.Map;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Namastack Outbox in a Spring context of its own, with larger batches and shorter pauses than its defaults. */
public final class NamastackOutbox implements ComparedLibrary {
    private static final int THREADS = 30;
    private static final int BATCH = 1_000;
    private static final int CHUNK = 1_000;

    private static final Map<String, Object> PROPERTIES = Map.of(
            "namastack.outbox.polling.batch-size",
            BATCH,
            "namastack.outbox.polling.trigger",
            "adaptive",
            "namastack.outbox.polling.adaptive.min-interval",
            "10ms",
            "namastack.outbox.polling.adaptive.max-interval",
            "100ms",
            "namastack.outbox.processing.executor-core-pool-size",
            THREADS,
            "namastack.outbox.processing.executor-max-pool-size",
            THREADS,
            "namastack.outbox.processing.delete-completed-records",
            true,
            "namastack.outbox.processing.shutdown-timeout",
            "1s");

    @Override
    public String name() {
        return "namastack-outbox 1.6";
    }

    @Override
    public String setUp() {
        return "batches of " + BATCH + " keys, " + THREADS
                + " threads, adaptive polling each 10 to 100 ms; deletes what is done";
    }

    @Override
    public Session open(DataSource database, LongConsumer handler) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setClassLoader(NamastackOutbox.class.getClassLoader());
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("bench", PROPERTIES));
        context.registerBean(DataSource.class, () -> database, definition -> definition.setDestroyMethodName(""));
        context.registerBean(OutboxMessageHandler.class, () -> new OutboxMessageHandler(handler));
        context.register(Application.class);
        context.refresh();
        OutboxProcessingScheduler processing = context.getBean(OutboxProcessingScheduler.class);
        processing.stop();
        return new NamastackSession(
                context,
                processing,
                context.getBean(Outbox.class),
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application {}

    /** What a record carries. */
    public record OutboxMessage(int number) {}

    /** Counts. */
    public static final class OutboxMessageHandler implements OutboxTypedHandler<OutboxMessage> {
        private final LongConsumer handler;

        OutboxMessageHandler(LongConsumer handler) {
            this.handler = handler;
        }

        @Override
        public void handle(OutboxMessage message, OutboxRecordMetadata metadata) {
            handler.accept(message.number());
        }
    }

    private record NamastackSession(
            AnnotationConfigApplicationContext context,
            OutboxProcessingScheduler processing,
            Outbox outbox,
            TransactionTemplate transaction)
            implements Session {
        @Override
        public void load(int from, int count) {
            for (int done = 0; done < count; done += CHUNK) {
                int begin = from + done;
                int end = from + Math.min(count, done + CHUNK);
                transaction.executeWithoutResult(status -> {
                    for (int number = begin; number < end; number++) {
                        schedule(number);
                    }
                });
            }
        }

        @Override
        public void start() {
            processing.start();
        }

        @Override
        public void send(int number) {
            transaction.executeWithoutResult(status -> schedule(number));
        }

        /** Under a key of its own: it follows nobody. */
        private void schedule(int number) {
            outbox.schedule(new OutboxMessage(number), "message-" + number);
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
