package dev.semel.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.semel.bench.ComparedLibrary;
import dev.semel.testkit.PrivatePostgres;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each of them does on a real server what the bench has it do. */
class PeersTest {
    private static final int WAITING = 30;
    private static final int SENT = 5;

    private final BlockingQueue<Long> handled = new ArrayBlockingQueue<>(1_000);

    static Stream<ComparedLibrary> peers() {
        return ServiceLoader.load(ComparedLibrary.class).stream().map(ServiceLoader.Provider::get);
    }

    @Test
    void allOfThemAreFound() {
        assertThat(peers().map(ComparedLibrary::name))
                .containsExactlyInAnyOrder(
                        "db-scheduler 16.12", "JobRunr 8.7", "transaction-outbox 4.2", "namastack-outbox 1.6");
        assertThat(peers()).allSatisfy(peer -> assertThat(peer.setUp()).contains("what is done"));
    }

    @ParameterizedTest
    @MethodSource("peers")
    void waitingAndNewMessagesAreHandledOnce(ComparedLibrary peer) throws Exception {
        try (HikariDataSource database = database();
                ComparedLibrary.Session session = peer.open(database, handled::add)) {
            session.load(0, WAITING);
            assertThat(handled).isEmpty();
            session.start();
            List<Long> first = take(WAITING);
            for (int i = 0; i < SENT; i++) {
                session.send(WAITING + i);
            }
            List<Long> second = take(SENT);
            session.settle();
            session.verify(WAITING + SENT);
            assertThat(first).doesNotHaveDuplicates().allMatch(number -> number < WAITING);
            assertThat(second).doesNotHaveDuplicates().allMatch(number -> number >= WAITING);
        }
        assertThat(handled).isEmpty();
    }

    private List<Long> take(int count) throws InterruptedException {
        List<Long> taken = new java.util.ArrayList<>();
        for (int i = 0; i < count; i++) {
            Long next = handled.poll(2, TimeUnit.MINUTES);
            assertThat(next).as("message %s of %s", i + 1, count).isNotNull();
            taken.add(next);
        }
        return taken;
    }

    private static HikariDataSource database() {
        PrivatePostgres postgres = PrivatePostgres.shared();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }
}
