package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.ActivityLog;
import dev.semel.store.ActivityLog.ActivityStep;
import dev.semel.store.ActivityRow;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the history of activity tells of messages that wait. */
class WaitingSamplerTest {
    private static final long START = 1_800_000_000_000L;
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private final ManualTime time = new ManualTime(START);
    private final MemoryStore store = new MemoryStore(time);
    private final ActivityLog log = store.activity().orElseThrow();
    private final Engine engine =
            EngineSettings.on(store).withTime(time).withoutBackground().open();
    private final AtomicLong nodes = new AtomicLong();

    @AfterEach
    void close() {
        engine.close();
    }

    private void send(String tenant, String key) {
        engine.send(MAIL, Message.of(Tenant.of(tenant), Key.of(key), "payload"));
    }

    private ActivityRecorder node() {
        return new ActivityRecorder(log, time, nodes::incrementAndGet);
    }

    private List<ActivityRow> rows(String tenant) {
        return log.read(ActivityStep.HOURS, tenant, 0, Long.MAX_VALUE);
    }

    @Test
    void mostThatWaitedAndTheLongestThatOneWasDueAreKept() {
        ActivityRecorder node = node();
        WaitingSampler sampler = new WaitingSampler(store.ledger(), node);
        send("acme", "a");
        send("globex", "b");
        sampler.look();
        time.advance(Duration.ofSeconds(40));
        sampler.look();
        send("acme", "c");
        sampler.look();
        node.flush(true);
        assertThat(rows("").get(0).counts().of("waiting_most")).isEqualTo(3);
        assertThat(rows("").get(0).counts().of("due_ms_most")).isEqualTo(40_000);
        assertThat(rows("acme")).isEmpty();
    }

    @Test
    void messagesCountOnceHoweverManyNodesLook() {
        send("acme", "a");
        send("acme", "b");
        for (ActivityRecorder node : List.of(node(), node())) {
            new WaitingSampler(store.ledger(), node).look();
            node.flush(true);
        }
        assertThat(rows("").get(0).counts().of("waiting_most")).isEqualTo(2);
    }

    @Test
    void nothingIsWrittenWhileNothingWaits() {
        ActivityRecorder node = node();
        new WaitingSampler(store.ledger(), node).look();
        node.flush(true);
        assertThat(rows("")).isEmpty();
    }

    @Test
    void messageThatIsDueLaterWaitsAndIsNotOverdue() {
        engine.send(MAIL, Message.of(Tenant.of("acme"), Key.of("a"), "payload").withDelay(Duration.ofHours(1)));
        ActivityRecorder node = node();
        new WaitingSampler(store.ledger(), node).look();
        node.flush(true);
        assertThat(rows("").get(0).counts().of("waiting_most")).isEqualTo(1);
        assertThat(rows("").get(0).counts().of("due_ms_most")).isZero();
    }
}
