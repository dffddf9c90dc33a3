package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** D3 with real processes: one message ends every JVM that handles it, among many that do no harm. */
@Timeout(180)
class PoisonTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final int OTHERS = 30;
    private static final int MAX_ATTEMPTS = PoisonedNode.POLICY.retry().maxAttempts();

    @TempDir
    private Path directory;

    @Test
    void d3_messageThatEndsTheJvmTakesNoNeighboursAlongOnSqlite() throws Exception {
        poisonDiesAlone(RunDatabases.sqlite(directory), PoisonedNode.LANE);
    }

    @Test
    void d3_messageThatEndsTheJvmTakesNoNeighboursAlongOnPostgres() throws Exception {
        poisonDiesAlone(RunDatabases.postgres(), PoisonedNode.FREE);
    }

    private void poisonDiesAlone(RunDatabases place, Channel<String> poisoned) throws Exception {
        List<RecordId> others = new ArrayList<>();
        try (Engine sender = PoisonedNode.open(place.store())) {
            sender.send(poisoned, message(PoisonedNode.POISON));
            for (Channel<String> channel : List.of(PoisonedNode.LANE, PoisonedNode.FREE, PoisonedNode.BOOK)) {
                List<Message<String>> messages = IntStream.range(0, OTHERS)
                        .mapToObj(i -> message("m" + i))
                        .toList();
                sender.sendAll(channel, messages);
                messages.forEach(each -> others.add(id(channel, each.key())));
            }
        }
        RecordId poison = id(poisoned, Key.of(PoisonedNode.POISON));
        int deaths = 0;
        try (Store store = place.open()) {
            while (runUntilDeathOrEnd(place, store, deaths, poison, others)) {
                deaths++;
                assertThat(deaths).isLessThanOrEqualTo(MAX_ATTEMPTS + 1);
            }
            assertThat(deaths)
                    .as("deaths: one for each attempt, and the first, which was not counted")
                    .isEqualTo(MAX_ATTEMPTS + 1);
            Row row = store.ledger().find(List.of(poison)).get(poison);
            assertThat(row.state()).isEqualTo(State.UNKNOWN);
            assertThat(row.status().attempt()).isEqualTo(MAX_ATTEMPTS);
            assertThat(store.ledger().find(others).rows().values())
                    .hasSize(3 * OTHERS)
                    .allSatisfy(each -> {
                        assertThat(each.state()).isEqualTo(State.COMPLETED);
                        assertThat(each.status().attempt())
                                .as("attempts of a neighbour")
                                .isEqualTo(1);
                    });
        }
    }

    /** Whether the process died; if not, everything has come to its end. */
    private boolean runUntilDeathOrEnd(
            RunDatabases place, Store store, int number, RecordId poison, List<RecordId> others) throws Exception {
        Path log = directory.resolve("node" + number + ".log");
        Process process = Jvms.shared().start(PoisonedNode.class, log, List.of(place.store()));
        try {
            while (!process.waitFor(50, TimeUnit.MILLISECONDS)) {
                if (ended(store, poison, others)) {
                    return false;
                }
            }
            assertThat(process.exitValue()).as(Files.readString(log)).isEqualTo(PoisonedNode.POISONED);
            return true;
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static boolean ended(Store store, RecordId poison, List<RecordId> others) {
        List<RecordId> all = new ArrayList<>(others);
        all.add(poison);
        return store.ledger().find(all).rows().values().stream()
                .allMatch(row -> row.state().finished() || row.state() == State.UNKNOWN);
    }

    private static Message<String> message(String text) {
        return Message.of(ACME, Key.of(text), text);
    }

    private static RecordId id(Channel<String> channel, Key key) {
        return Identity.of(ACME, channel.name(), key).id();
    }
}
