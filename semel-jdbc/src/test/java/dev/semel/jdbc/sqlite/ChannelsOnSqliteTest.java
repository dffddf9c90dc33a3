package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.testkit.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several channels on one file, with the worker's own threads. The time-out bounds the test, it never decides it. */
@Timeout(180)
class ChannelsOnSqliteTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final int BATCH = 500;
    private static final int IN_CHAT = 8_000;
    private static final int IN_BOOK = 8_000;
    private static final int IN_MAIL = 4_000;
    private static final int LANES = 100;

    private static final Channel.Leased<String> CHAT =
            Channel.leased("chat", String.class).withLane(ChannelsOnSqliteTest::lane);
    private static final Channel.Atomic<String> BOOK =
            Channel.atomic("book", String.class).withLane(ChannelsOnSqliteTest::lane);
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    @TempDir
    private Path directory;

    private static String lane(String text) {
        return text.substring(0, text.indexOf(':'));
    }

    @Test
    void d7_manyMessagesOfSeveralChannelsAreHandledOnceAndInTheOrderOfTheirLanes() throws Exception {
        Path file = directory.resolve("semel.db");
        SqliteStore store = SqliteFixture.open(file);
        EffectFixture.makeTable(store);
        Map<String, ConcurrentLinkedQueue<String>> chats = new ConcurrentHashMap<>();
        Map<String, AtomicInteger> mails = new ConcurrentHashMap<>();
        Map<String, Semaphore> oneAtATime = new ConcurrentHashMap<>();
        AtomicInteger together = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(IN_CHAT + IN_MAIL);
        try (Engine engine = EngineSettings.on(store).open()) {
            engine.handle(CHAT, (text, run) -> {
                Semaphore turn = oneAtATime.computeIfAbsent(lane(text), any -> new Semaphore(1));
                together.addAndGet(turn.tryAcquire() ? 0 : 1);
                chats.computeIfAbsent(lane(text), any -> new ConcurrentLinkedQueue<>())
                        .add(text);
                turn.release();
                all.countDown();
            });
            engine.handle(BOOK, (text, tx) -> EffectFixture.insert(tx.connection(), text));
            engine.handle(MAIL, (text, run) -> {
                mails.computeIfAbsent(text, any -> new AtomicInteger()).incrementAndGet();
                all.countDown();
            });
            sendAll(engine, CHAT, IN_CHAT);
            sendAll(engine, BOOK, IN_BOOK);
            sendAll(engine, MAIL, IN_MAIL);
            all.await();
            try (Connection own = DriverManager.getConnection("jdbc:sqlite:" + file)) {
                Await.until(
                        "all messages are completed",
                        () -> completed(own),
                        completed -> completed >= IN_CHAT + IN_BOOK + IN_MAIL);
                inOrder(booked(own), IN_BOOK);
            }
        }
        assertThat(together).hasValue(0);
        Map<String, List<String>> chatted = new HashMap<>();
        chats.forEach((lane, texts) -> chatted.put(lane, List.copyOf(texts)));
        inOrder(chatted, IN_CHAT);
        assertThat(mails)
                .hasSize(IN_MAIL)
                .allSatisfy((text, times) -> assertThat(times).hasValue(1));
    }

    private static void sendAll(Engine engine, Channel<String> channel, int count) {
        for (int from = 0; from < count; from += BATCH) {
            List<Message<String>> batch = new ArrayList<>();
            for (int i = from; i < from + BATCH; i++) {
                batch.add(Message.of(ACME, Key.of("k" + i), "lane" + i % LANES + ":" + i));
            }
            engine.sendAll(channel, batch).forEach(sent -> sent.orThrow());
        }
    }

    private static long completed(Connection connection) throws SQLException {
        return EffectFixture.number(connection, "SELECT count(*) FROM semel_record WHERE state = 2");
    }

    private static Map<String, List<String>> booked(Connection connection) throws SQLException {
        Map<String, List<String>> lanes = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT who FROM effect ORDER BY n")) {
            while (found.next()) {
                String text = found.getString(1);
                lanes.computeIfAbsent(lane(text), any -> new ArrayList<>()).add(text);
            }
        }
        return lanes;
    }

    private static void inOrder(Map<String, List<String>> lanes, int count) {
        assertThat(lanes).hasSize(LANES);
        for (int lane = 0; lane < LANES; lane++) {
            List<String> expected = new ArrayList<>();
            for (int i = lane; i < count; i += LANES) {
                expected.add("lane" + lane + ":" + i);
            }
            assertThat(lanes.get("lane" + lane)).isEqualTo(expected);
        }
    }
}
