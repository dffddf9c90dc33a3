package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.semel.Channel;
import dev.semel.Channel.Capacity;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The worker with its threads. Time-outs bound these tests, they never decide them. */
@Timeout(300)
class WorkerTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final Policy PATIENT = Policy.named("patient")
            .withMaxAttempts(3)
            .withExponentialBackoff(Duration.ofMillis(20), 2, Duration.ofMillis(100))
            .build();
    private static final Channel.Leased<String> MAIL =
            Channel.leased("mail", String.class).withPolicy("patient");
    private static final Channel.Leased<String> CHAT = Channel.leased("chat", String.class)
            .withPolicy("patient")
            .withLane(text -> text.substring(0, text.indexOf(':')));

    private final MemoryStore store = new MemoryStore(TimeSource.system());
    private final Engine engine = EngineSettings.on(store).withPolicy(PATIENT).open();

    @AfterEach
    void close() {
        engine.close();
    }

    private void send(Channel<String> channel, String key) {
        engine.send(channel, Message.of(ACME, Key.of(key), key)).orThrow();
    }

    private Row row(Channel<?> channel, String key) {
        RecordId id = Identity.of(ACME, channel.name(), Key.of(key)).id();
        return store.ledger().find(List.of(id)).get(id);
    }

    private void awaitState(Channel<?> channel, String key, State state) {
        Await.until(key + " is " + state, () -> row(channel, key).state() == state);
    }

    @Test
    void messageIsHandledAsSoonAsItIsSent() throws Exception {
        engine.handle(MAIL, (text, run) -> {});
        send(MAIL, "m");
        awaitState(MAIL, "m", State.COMPLETED);
    }

    @Test
    void d6_messageWhoseWakeUpWasLostIsFoundByThePoll() throws Exception {
        engine.handle(MAIL, (text, run) -> {});
        send(MAIL, "first");
        awaitState(MAIL, "first", State.COMPLETED);
        Row like = row(MAIL, "first");
        RecordId id = Identity.of(ACME, "mail", Key.of("silent")).id();
        Header header = new Header(ACME.name(), "mail", "silent", like.header().fingerprint(), "c", null);
        store.queue()
                .orElseThrow()
                .enqueue(List.of(new Arrival(id, header, like.payload(), null, Arrival.ArrivalTimes.NOW, null)));
        awaitState(MAIL, "silent", State.COMPLETED);
    }

    @Test
    void failedMessageIsRetriedWithoutACaller() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        engine.handle(MAIL, (text, run) -> {
            if (attempts.incrementAndGet() < 3) {
                throw Failure.of(Failure.Category.NETWORK, "down").asException();
            }
        });
        send(MAIL, "m");
        awaitState(MAIL, "m", State.COMPLETED);
        assertThat(attempts).hasValue(3);
    }

    @Test
    void handlersAtOnceAreLimitedByChannelAndByTenant() throws Exception {
        Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
        Map<String, Integer> most = new ConcurrentHashMap<>();
        CountDownLatch all = new CountDownLatch(120);
        CountDownLatch full = new CountDownLatch(1);
        engine.handle(MAIL, Capacity.of(6).withPerTenant(2), (text, run) -> {
            for (String who : List.of("all", run.tenant().name())) {
                int now =
                        running.computeIfAbsent(who, any -> new AtomicInteger()).incrementAndGet();
                most.merge(who, now, Math::max);
            }
            full.await();
            running.get("all").decrementAndGet();
            running.get(run.tenant().name()).decrementAndGet();
            all.countDown();
        });
        for (int i = 0; i < 40; i++) {
            for (String tenant : List.of("a", "b", "c")) {
                sendFor(tenant, i);
            }
        }
        Await.until("all handlers run", () -> most.getOrDefault("all", 0) >= 6);
        full.countDown();
        all.await();
        assertThat(most).isEqualTo(Map.of("all", 6, "a", 2, "b", 2, "c", 2));
    }

    @Test
    void d8_tenantGetsIdleHandlersAlthoughMessagesOfOthersFillTheWindow() throws Exception {
        Set<String> running = ConcurrentHashMap.newKeySet();
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            sendFor("a", i);
            sendFor("b", i);
        }
        engine.handle(MAIL, Capacity.of(6).withPerTenant(2), (text, run) -> {
            running.add(run.tenant().name() + text);
            end.await();
        });
        Await.until("both tenants have their handlers", () -> running.size() == 4);

        sendFor("c", 1);
        sendFor("c", 2);

        Await.until("the third tenant has its handlers", () -> running.containsAll(List.of("c1", "c2")));
        end.countDown();
    }

    private void sendFor(String tenant, int number) {
        engine.send(MAIL, Message.of(Tenant.of(tenant), Key.of("k" + number), "" + number))
                .orThrow();
    }

    @Test
    void b10_drainHandsBackTheRestOfALaneThatIsBeingHandled() throws Exception {
        List<String> handled = new ArrayList<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 1; i <= 10; i++) {
            send(CHAT, "lane:" + i);
        }
        engine.handle(CHAT, (text, run) -> {
            handled.add(text);
            begun.countDown();
            end.await();
        });
        begun.await();
        engine.drain(Duration.ZERO);
        end.countDown();
        Await.until("all are handed back", () -> engine.drain(Duration.ZERO));
        assertThat(handled).containsExactly("lane:1");
        for (int i = 2; i <= 10; i++) {
            assertThat(row(CHAT, "lane:" + i).state()).isEqualTo(State.QUEUED);
        }
    }

    @Test
    void d7_lanesAreInOrderAndOneAtATimeUnderManyThreadsAndFailures() throws Exception {
        Map<String, ConcurrentLinkedQueue<String>> byLane = new ConcurrentHashMap<>();
        Map<String, Semaphore> oneAtATime = new ConcurrentHashMap<>();
        Map<String, Boolean> failedOnce = new ConcurrentHashMap<>();
        AtomicInteger together = new AtomicInteger();
        CountDownLatch all = new CountDownLatch(30 * 40);
        engine.handle(CHAT, (text, run) -> {
            String lane = text.substring(0, text.indexOf(':'));
            Semaphore turn = oneAtATime.computeIfAbsent(lane, any -> new Semaphore(1));
            if (!turn.tryAcquire()) {
                together.incrementAndGet();
            }
            try {
                if (text.endsWith("7") && failedOnce.put(text, true) == null) {
                    throw Failure.of(Failure.Category.NETWORK, "down").asException();
                }
                byLane.computeIfAbsent(lane, any -> new ConcurrentLinkedQueue<>())
                        .add(text);
                all.countDown();
            } finally {
                turn.release();
            }
        });
        for (int i = 0; i < 40; i++) {
            for (int lane = 0; lane < 30; lane++) {
                send(CHAT, "lane" + lane + ":" + i);
            }
        }
        all.await();
        assertThat(together).hasValue(0);
        for (int lane = 0; lane < 30; lane++) {
            List<String> expected = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                expected.add("lane" + lane + ":" + i);
            }
            assertThat(byLane.get("lane" + lane)).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void slowHandlerDelaysNoOtherMessageWhileThereIsRoom() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch both = new CountDownLatch(2);
        engine.handle(MAIL, Capacity.of(2), (text, run) -> {
            first.countDown();
            both.countDown();
            both.await();
        });
        send(MAIL, "a");
        first.await();
        send(MAIL, "b");
        awaitState(MAIL, "a", State.COMPLETED);
        awaitState(MAIL, "b", State.COMPLETED);
        assertThat(row(MAIL, "a").status().attempt()).isEqualTo(1);
    }

    @Test
    void b10_drainFinishesRunningHandlersAndHandsBackTheRest() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        Semaphore may = new Semaphore(0);
        engine.handle(MAIL, Capacity.of(2), (text, run) -> {
            begun.countDown();
            may.acquire();
        });
        for (int i = 0; i < 50; i++) {
            send(MAIL, "m" + i);
        }
        begun.await();
        assertThat(engine.drain(Duration.ZERO)).isFalse();
        may.release(2);
        assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        long done = 0;
        for (int i = 0; i < 50; i++) {
            Row row = row(MAIL, "m" + i);
            assertThat(row.state()).isIn(State.COMPLETED, State.QUEUED);
            assertThat(row.status().attempt()).isEqualTo(row.state() == State.COMPLETED ? 1 : 0);
            done += row.state() == State.COMPLETED ? 1 : 0;
        }
        assertThat(done).isEqualTo(2);
    }

    /** More than there are processors: those that are held up do not count. */
    @Test
    void asManySlowHandlersRunAtOnceAsTheChannelAllows() throws Exception {
        int many = 2 * Runtime.getRuntime().availableProcessors() + 8;
        CountDownLatch together = new CountDownLatch(many);
        engine.handle(MAIL, Capacity.of(many), (text, run) -> {
            together.countDown();
            together.await();
        });
        for (int i = 0; i < many; i++) {
            send(MAIL, "m" + i);
        }
        for (int i = 0; i < many; i++) {
            awaitState(MAIL, "m" + i, State.COMPLETED);
        }
    }

    @Test
    void breakerOfAnAtomicChannelClosesOnceItsMessagesAreCommitted() throws Exception {
        Channel.Atomic<String> post = Channel.atomic("post", String.class).withPolicy("patient");
        CountDownLatch up = new CountDownLatch(1);
        CountDownLatch failed = new CountDownLatch(4);
        Channel.Breaker quick = new Channel.Breaker(50, 4, Duration.ofMillis(100));
        engine.handle(post, Capacity.of(1).withBreaker(quick), (text, tx) -> {
            failed.countDown();
            if (up.getCount() > 0) {
                throw Failure.of(Failure.Category.UPSTREAM_ERROR, "500").asException();
            }
        });
        send(post, "first");
        for (int i = 0; i < 20; i++) {
            send(post, "m" + i);
        }
        failed.await();
        up.countDown();
        for (int i = 0; i < 20; i++) {
            awaitState(post, "m" + i, State.COMPLETED);
        }
    }

    @Test
    void closeInterruptsHandlersAndHandsTheirMessagesBack() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        Engine other = EngineSettings.on(store).withPolicy(PATIENT).open();
        other.handle(MAIL, (text, run) -> {
            begun.countDown();
            new CountDownLatch(1).await();
        });
        send(MAIL, "m");
        begun.await();
        other.close();
        assertThat(row(MAIL, "m").state()).isEqualTo(State.QUEUED);
        assertThat(row(MAIL, "m").status().attempt()).isZero();
    }

    @Test
    void resultIsWrittenWhileTheStoreBlocksTheOneBefore() throws Exception {
        RecordId slow = Identity.of(ACME, MAIL.name(), Key.of("slow")).id();
        CountDownLatch heldUp = new CountDownLatch(1);
        CountDownLatch letGo = new CountDownLatch(1);
        Store stalling = new ForwardingStore(store) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(delegate().ledger()) {
                    @Override
                    public List<Moved> move(List<Move> batch) {
                        if (batch.stream().anyMatch(move -> move.id().equals(slow))) {
                            heldUp.countDown();
                            assertThatCode(letGo::await).doesNotThrowAnyException();
                        }
                        return super.move(batch);
                    }
                };
            }
        };
        try (Engine other = EngineSettings.on(stalling).withPolicy(PATIENT).open()) {
            other.handle(MAIL, (text, run) -> {});
            send(MAIL, "slow");
            heldUp.await();
            send(MAIL, "next");
            awaitState(MAIL, "next", State.COMPLETED);
            assertThat(row(MAIL, "slow").state()).isEqualTo(State.IN_PROGRESS);
            letGo.countDown();
            awaitState(MAIL, "slow", State.COMPLETED);
        } finally {
            letGo.countDown();
        }
    }
}
