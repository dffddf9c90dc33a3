package dev.semel.bench.peers;

import dev.semel.bench.ComparedLibrary;
import java.time.Duration;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/** JobRunr with the shortest interval at which it lets a database be polled, and job requests instead of lambdas. */
public final class JobRunrServer implements ComparedLibrary {
    private static final int WORKERS = 30;

    @Override
    public String name() {
        return "JobRunr 8.7";
    }

    @Override
    public String setUp() {
        return WORKERS + " workers, polling each 5 s, which is the shortest it allows; keeps what is done";
    }

    @Override
    public Session open(DataSource database, LongConsumer handler) {
        Jackson3JsonMapper json = new Jackson3JsonMapper();
        PostgresStorageProvider storage = new PostgresStorageProvider(database);
        storage.setJobMapper(new JobMapper(json));
        BackgroundJobServer server = new BackgroundJobServer(
                storage,
                json,
                new Handlers(new JobMessageHandler(handler)),
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andWorkerCount(WORKERS)
                        .andPollInterval(Duration.ofSeconds(5))
                        .andInterruptJobsAwaitDurationOnStopBackgroundJobServer(Duration.ofSeconds(1)));
        return new JobRunrSession(storage, new JobRequestScheduler(storage), server);
    }

    /** What a job carries. Its handler is found by its class. */
    public record JobMessage(int number) implements JobRequest {
        @Override
        public Class<JobMessageHandler> getJobRequestHandler() {
            return JobMessageHandler.class;
        }
    }

    /** Counts. */
    public static final class JobMessageHandler implements JobRequestHandler<JobMessage> {
        private final LongConsumer handler;

        JobMessageHandler(LongConsumer handler) {
            this.handler = handler;
        }

        @Override
        public void run(JobMessage message) {
            handler.accept(message.number());
        }
    }

    private record Handlers(JobMessageHandler handler) implements JobActivator {
        @Override
        public <T> @Nullable T activateJob(Class<T> type) {
            return type == JobMessageHandler.class ? type.cast(handler) : null;
        }
    }

    private record JobRunrSession(
            PostgresStorageProvider storage, JobRequestScheduler scheduler, BackgroundJobServer server)
            implements Session {
        @Override
        public void load(int from, int count) {
            scheduler.enqueue(IntStream.range(from, from + count).mapToObj(JobMessage::new));
        }

        @Override
        public void start() {
            server.start();
        }

        @Override
        public void send(int number) {
            scheduler.enqueue(new JobMessage(number));
        }

        @Override
        public void close() {
            server.stop();
            storage.close();
        }
    }
}
