package dev.semel.jdbc.fault;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Sent;
import dev.semel.testkit.Await;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.History;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Senders of parcels: alone, many at once, and in transactions; in lanes and not. Each of them sends a message again until it
 * is accepted, and only then the next of its row. They wait while too much is undone, so that the load ends soon after them.
 */
final class FleetSenders {
    private static final int SENDERS = 3;
    private static final int ROWS = 8;
    private static final int MOST_AT_ONCE = 12;
    private static final long MOST_UNDONE = 300;
    private static final Operation.Atomic<String, Void> ORDER =
            Operation.atomic("order", String.class, Void.class).withPolicy("fault");

    private final RunDatabases place;
    private final Semel semel;
    private final Channel<FleetMessage> channel;
    private final History history;
    private final FleetBug slip;
    private final long seed = Long.getLong("semel.seed", System.nanoTime());
    private final Set<String> accepted = ConcurrentHashMap.newKeySet();
    private final List<Future<Void>> senders = new ArrayList<>();
    private volatile boolean enough;

    FleetSenders(RunDatabases place, Semel semel, Channel<FleetMessage> channel, History history, FleetBug slip) {
        this.place = place;
        this.semel = semel;
        this.channel = channel;
        this.history = history;
        this.slip = slip;
    }

    void start() {
        ExecutorService threads = Executors.newFixedThreadPool(SENDERS);
        for (int i = 0; i < SENDERS; i++) {
            Sender sender = new Sender(i);
            senders.add(threads.submit((Callable<Void>) () -> {
                sender.sendForEver();
                return null;
            }));
        }
        threads.shutdown();
    }

    /** Returns when every message that was begun is accepted. */
    void stop() throws Exception {
        enough = true;
        for (Future<Void> sender : senders) {
            sender.get(120, TimeUnit.SECONDS);
        }
    }

    /** The names of all records whose send was acknowledged. */
    Set<String> accepted() {
        return accepted;
    }

    /** Sends parcels in one call until it is accepted. */
    void send(Way way, List<FleetMessage> parcels) {
        Await.until("the messages are accepted", () -> sent(way, parcels));
    }

    enum Way {
        ALONE,
        TOGETHER,
        IN_A_TRANSACTION
    }

    private boolean sent(Way way, List<FleetMessage> parcels) {
        Map<FleetMessage, Long> calls = new HashMap<>();
        for (FleetMessage parcel : parcels) {
            calls.put(parcel, history.invoke(parcel.record(channel), parcel.payload()));
        }
        Ending ending;
        try {
            ending = answered(way, parcels) ? Ending.ACCEPTED : Ending.UNKNOWN;
        } catch (SemelException.StoreUnavailable e) {
            ending = way == Way.TOGETHER ? Ending.UNKNOWN : Ending.FAIL;
        } catch (SemelException.OutcomeUnknown e) {
            ending = Ending.UNKNOWN;
        }
        if (slip == FleetBug.BELIEVES_IT_WAS_SENT) {
            ending = Ending.ACCEPTED;
        }
        for (FleetMessage parcel : parcels) {
            String record = parcel.record(channel);
            history.end(record, calls.get(parcel), ending, Grant.NONE, null);
            if (ending == Ending.ACCEPTED) {
                accepted.add(record);
            }
        }
        return ending == Ending.ACCEPTED;
    }

    private boolean answered(Way way, List<FleetMessage> parcels) {
        return switch (way) {
            case ALONE -> {
                semel.send(channel, parcels.get(0).message()).orThrow();
                yield true;
            }
            case TOGETHER -> {
                List<Message<FleetMessage>> messages =
                        parcels.stream().map(FleetMessage::message).toList();
                semel.sendAll(channel, messages).forEach(Sent::orThrow);
                yield true;
            }
            case IN_A_TRANSACTION -> {
                String first = parcels.get(0).key();
                Answer<Void> answer =
                        semel.run(ORDER, Call.of(WorkKind.TENANT, Key.of("order-" + first), first), (payload, tx) -> {
                            parcels.forEach(parcel -> tx.send(channel, parcel.message()));
                            return null;
                        });
                yield answer.isResult();
            }
        };
    }

    private final class Sender {
        private static final int CALLS_BETWEEN_LOOKS = 16;

        private final SplittableRandom random;
        private final String name;
        private final long[] next = new long[ROWS];

        Sender(int number) {
            random = new SplittableRandom(seed * SENDERS + number);
            name = "s" + number;
        }

        void sendForEver() throws Exception {
            for (int call = 0; !enough; call++) {
                if (call % CALLS_BETWEEN_LOOKS == 0) {
                    awaitRoom();
                }
                Way way = Way.values()[random.nextInt(Way.values().length)];
                int count = way == Way.ALONE ? 1 : 1 + random.nextInt(MOST_AT_ONCE);
                List<FleetMessage> parcels = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    parcels.add(parcel());
                }
                send(way, parcels);
            }
        }

        /** The first row is no lane, and the second is a busy one. */
        private FleetMessage parcel() {
            int row = random.nextBoolean() ? random.nextInt(2) : random.nextInt(ROWS);
            return new FleetMessage(name + "r" + row, row > 0, ++next[row]);
        }
    }

    private void awaitRoom() {
        Await.until("the nodes have caught up", () -> enough || accepted.size() - handled() <= MOST_UNDONE);
    }

    /** How many were handled, those that were handled again included; nothing while nobody can say. */
    private long handled() {
        try (Connection connection = place.connectOutside();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT last_value FROM received_n_seq")) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            return Long.MAX_VALUE;
        }
    }
}
