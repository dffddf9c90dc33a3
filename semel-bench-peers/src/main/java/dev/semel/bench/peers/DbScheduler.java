package dev.semel.bench.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.semel.bench.ComparedLibrary;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** db-scheduler with lock-and-fetch and the limits that its documentation gives for high throughput. */
public final class DbScheduler implements ComparedLibrary {
    private static final int THREADS = 30;
    private static final int CHUNK = 1_000;

    /** The table and the indexes that its documentation has made for PostgreSQL. */
    private static final String[] TABLES = {
        """
        CREATE TABLE scheduled_tasks (
            task_name text NOT NULL,
            task_instance text NOT NULL,
            task_data bytea,
            execution_time timestamp with time zone NOT NULL,
            picked boolean NOT NULL,
            picked_by text,
            last_success timestamp with time zone,
            last_failure timestamp with time zone,
            consecutive_failures int,
            last_heartbeat timestamp with time zone,
            version bigint NOT NULL,
            priority smallint,
            PRIMARY KEY (task_name, task_instance))""",
        "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
        "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)"
    };

    @Override
    public String name() {
        return "db-scheduler 16.12";
    }

    @Override
    public String setUp() {
        return "lock-and-fetch 1.0 to 4.0 of " + THREADS
                + " threads, immediate execution, polling each 100 ms; deletes what is done";
    }

    @Override
    public Session open(DataSource database, LongConsumer handler) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : TABLES) {
                statement.execute(sql);
            }
        }
        OneTimeTask<Void> task = Tasks.oneTime("bench-messages")
                .execute((instance, context) -> handler.accept(Long.parseLong(instance.getId())));
        Scheduler scheduler = Scheduler.create(database, task)
                .threads(THREADS)
                .pollUsingLockAndFetch(1.0, 4.0)
                .pollingInterval(Duration.ofMillis(100))
                .enableImmediateExecution()
                .schedulerName(new SchedulerName.Fixed("bench"))
                .shutdownMaxWait(Duration.ofSeconds(1))
                .build();
        return new DbSchedulerSession(scheduler, task);
    }

    private record DbSchedulerSession(Scheduler scheduler, OneTimeTask<Void> task) implements Session {
        @Override
        public void load(int from, int count) {
            for (int done = 0; done < count; done += CHUNK) {
                List<TaskInstance<?>> some = new ArrayList<>();
                for (int i = done; i < Math.min(count, done + CHUNK); i++) {
                    some.add(instance(from + i));
                }
                scheduler.scheduleBatch(some, Instant.now());
            }
        }

        @Override
        public void start() {
            scheduler.start();
        }

        @Override
        public void send(int number) {
            scheduler.schedule(instance(number), Instant.now());
        }

        private TaskInstance<Void> instance(int number) {
            return task.instance(Integer.toString(number));
        }

        @Override
        public void close() {
            scheduler.stop();
        }
    }
}
