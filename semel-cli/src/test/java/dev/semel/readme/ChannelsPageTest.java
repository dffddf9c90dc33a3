package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.policy.Classifier;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.time.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** docs/channels.md: its examples run, and its table of crashes is shown by a process that dies. */
@Timeout(180)
class ChannelsPageTest {
    private static final Tenant ACME = Tenant.of("acme");
    private static final int DIED = 42;

    record Parcel(String customer, String number) {}

    // region channels
    /** Writes to the ledger's database only: exactly once. */
    static final Channel.Atomic<Parcel> BOOK = Channel.atomic("book", Parcel.class);

    /** Calls out, and the receiver checks the key: delivered at least once, applied once. */
    static final Channel.Leased<Parcel> NOTIFY = Channel.leased("notify", Parcel.class);

    /** Calls out, and the receiver cannot tell a second delivery: at most once by itself; a doubtful one is parked as UNKNOWN. */
    static final Channel.Leased<Parcel> FAX =
            Channel.leased("fax", Parcel.class).asUnrepeatable();
    // endregion

    // region lane
    static final Channel.Leased<Parcel> TRACK = Channel.leased("track", Parcel.class)
            .withLane(Parcel::customer)
            .withPolicy(Policy.named("track")
                    .withDeadHead(Policy.DeadHead.PARK_LANE)
                    .build());
    // endregion

    @TempDir
    Path directory;

    private final ManualTime time = new ManualTime(System.currentTimeMillis());
    private final List<String> delivered = new ArrayList<>();
    private String file = "";

    @BeforeEach
    void makeTable() throws SQLException {
        file = directory.resolve("ledger.db").toString();
        Semel.open("sqlite:" + file).close();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE booked (number TEXT)");
        }
    }

    /** When the process dies, in the order of the page. */
    enum Point {
        BEFORE_ITS_EFFECT,
        AFTER_ITS_EFFECT
    }

    /** Sends a message, has it claimed, and dies at the point. */
    static final class Dying {
        private Dying() {}

        public static void main(String[] arguments) throws InterruptedException {
            Path directory = Path.of(arguments[1]);
            Point point = Point.valueOf(arguments[2]);
            Semel semel = Semel.open("sqlite:" + arguments[0]);
            Message<Parcel> message = Message.of(ACME, Key.of("p-1"), new Parcel("c-1", "p-1"));
            semel.handle(BOOK, (parcel, tx) -> {
                if (point == Point.AFTER_ITS_EFFECT) {
                    book(tx.connection(), parcel);
                }
                Runtime.getRuntime().halt(DIED);
            });
            Channel.LeasedDelivery<Parcel> calling = (parcel, run) -> {
                if (point == Point.AFTER_ITS_EFFECT) {
                    post(directory, run.downstreamKey());
                }
                Runtime.getRuntime().halt(DIED);
            };
            semel.handle(NOTIFY, calling);
            semel.handle(FAX, calling);
            semel.send(channel(arguments[3]), message).orThrow();
            Thread.currentThread().join();
        }
    }

    private static Channel<Parcel> channel(String name) {
        return Stream.of(BOOK, NOTIFY, FAX)
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void book(Connection connection, Parcel parcel) throws SQLException {
        try (var insert = connection.prepareStatement("INSERT INTO booked VALUES (?)")) {
            insert.setString(1, parcel.number());
            insert.executeUpdate();
        }
    }

    /** A receiver that writes down every delivery, by its key. */
    private static void post(Path directory, String key) throws IOException {
        Path box = Files.createDirectories(directory.resolve("received"));
        Files.writeString(box.resolve("letter-" + System.nanoTime()), key);
    }

    private List<String> received() throws IOException {
        List<String> keys = new ArrayList<>();
        Path box = Files.createDirectories(directory.resolve("received"));
        try (Stream<Path> letters = Files.list(box)) {
            for (Path letter : letters.toList()) {
                keys.add(Files.readString(letter));
            }
        }
        return keys;
    }

    private int booked() throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM booked")) {
            return row.getInt(1);
        }
    }

    private void die(Channel<Parcel> channel, Point point) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Dying.class.getName(),
                        file,
                        directory.toString(),
                        point.name(),
                        channel.name())
                .inheritIO()
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).isEqualTo(DIED);
        } finally {
            process.destroyForcibly();
        }
    }

    /** A process more, which looks while the lease lasts, and after it. */
    private State afterwards(Channel<Parcel> channel) {
        Store store = Stores.open("sqlite:" + file, new StoreProvider.Options(time, false));
        try (Engine engine =
                EngineSettings.on(store).withTime(time).withoutBackground().open()) {
            engine.handle(BOOK, (parcel, tx) -> {
                delivered.add(parcel.number() + " attempt " + tx.attempt());
                book(tx.connection(), parcel);
            });
            Channel.LeasedDelivery<Parcel> calling = (parcel, run) -> {
                delivered.add(parcel.number() + " attempt " + run.attempt());
                post(directory, run.downstreamKey());
            };
            engine.handle(NOTIFY, calling);
            engine.handle(FAX, calling);
            work(engine);
            assertThat(delivered).as("while the lease lasts").isEmpty();
            time.advance(Duration.ofMinutes(2));
            work(engine);
            return state(store, channel);
        }
    }

    private static State state(Store store, Channel<Parcel> channel) {
        RecordId id = Identity.of(ACME, channel.name(), Key.of("p-1")).id();
        Row row = store.ledger().find(List.of(id)).get(id);
        assertThat(row).isNotNull();
        return row.state();
    }

    private static void work(Engine engine) {
        engine.duties().sweeper().sweep();
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }

    @ParameterizedTest
    @EnumSource
    void atomicMessageOfAProcessThatDiedTakesEffectOnce(Point point) throws Exception {
        die(BOOK, point);
        assertThat(booked()).isZero();
        assertThat(afterwards(BOOK)).isEqualTo(State.COMPLETED);
        assertThat(delivered).containsExactly("p-1 attempt 1");
        assertThat(booked()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void leasedMessageOfAProcessThatDiedIsDeliveredAgainUnderTheSameKey(Point point) throws Exception {
        die(NOTIFY, point);
        assertThat(afterwards(NOTIFY)).isEqualTo(State.COMPLETED);
        assertThat(delivered).containsExactly("p-1 attempt 1");
        assertThat(received()).hasSize(point == Point.AFTER_ITS_EFFECT ? 2 : 1);
        assertThat(received().stream().distinct()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void unrepeatableMessageOfAProcessThatDiedIsUnknownAndNotDeliveredAgain(Point point) throws Exception {
        die(FAX, point);
        assertThat(afterwards(FAX)).isEqualTo(State.UNKNOWN);
        assertThat(delivered).isEmpty();
        assertThat(received()).hasSize(point == Point.AFTER_ITS_EFFECT ? 1 : 0);
    }

    private interface Machine {
        boolean wasSent(String key);
    }

    @Test
    void exampleOfAReconcilerDecides() throws Exception {
        die(FAX, Point.AFTER_ITS_EFFECT);
        assertThat(afterwards(FAX)).isEqualTo(State.UNKNOWN);
        String sent = received().get(0);
        Machine machine = sent::equals;
        time.advance(Duration.ofMinutes(2));
        Store store = Stores.open("sqlite:" + file, new StoreProvider.Options(time, false));
        try (Engine engine =
                EngineSettings.on(store).withTime(time).withoutBackground().open()) {
            reconcile(engine, machine);
            engine.duties().reconciliation().reconcile();
            assertThat(state(store, FAX)).isEqualTo(State.COMPLETED);
        }
    }

    private static void reconcile(Semel semel, Machine machine) {
        // region reconcile
        semel.reconcile(
                FAX,
                (parcel, interrupted) -> machine.wasSent(interrupted.downstreamKey())
                        ? Verdict.tookEffect(null)
                        : Verdict.stillUnknown("the journal of the machine is not complete yet"));
        // endregion
    }

    /** Answers 503 and then 200. */
    private static final class Receiver {
        private final LinkedBlockingQueue<String> keys = new LinkedBlockingQueue<>();
        private final AtomicInteger posts = new AtomicInteger();

        int post(Parcel parcel, String key) {
            int status = posts.incrementAndGet() == 1 ? 503 : 200;
            keys.add(parcel.number() + " " + key);
            return status;
        }

        @Nullable
        String retryAfter() {
            return "1";
        }
    }

    @Test
    void exampleOfAFailureIsRetriedUnderTheSameKey() throws Exception {
        Receiver receiver = new Receiver();
        try (Semel semel = Semel.open("memory:")) {
            // region failure
            semel.handle(NOTIFY, (parcel, run) -> {
                int status = receiver.post(parcel, run.downstreamKey());
                if (status >= 400) {
                    throw Classifier.ofHttpStatus(status, receiver.retryAfter(), Instant.now())
                            .asException();
                }
            });
            // endregion
            semel.send(NOTIFY, Message.of(ACME, Key.of("p-1"), new Parcel("c-1", "p-1")))
                    .orThrow();
            String first = receiver.keys.poll(1, TimeUnit.MINUTES);
            assertThat(receiver.keys.poll(1, TimeUnit.MINUTES)).isEqualTo(first).startsWith("p-1 ");
        }
    }

    record Review(String parcel, String reason) {}

    static final Channel.Leased<Review> REVIEW = Channel.leased("review", Review.class);

    @Test
    void exampleOfADeathIsReviewedByAPerson() throws Exception {
        var reviews = new LinkedBlockingQueue<Review>();
        try (Semel semel = Semel.open("memory:")) {
            // region death
            semel.onDead(NOTIFY, (death, tx) -> {
                String parcel = death.payload().map(Parcel::number).orElse("unreadable");
                tx.send(
                        REVIEW,
                        death.key("review"),
                        new Review(parcel, death.failure().reason()));
            });
            semel.handle(NOTIFY, (parcel, run) -> {
                throw Failure.of(Failure.Category.VALIDATION, "there is no customer " + parcel.customer())
                        .asException();
            });
            // endregion
            semel.handle(REVIEW, (review, run) -> reviews.add(review));
            semel.send(NOTIFY, Message.of(ACME, Key.of("p-1"), new Parcel("c-1", "p-1")))
                    .orThrow();
            assertThat(reviews.poll(1, TimeUnit.MINUTES)).isEqualTo(new Review("p-1", "there is no customer c-1"));
        }
    }

    @Test
    void exampleOfALaneKeepsTheOrder() throws Exception {
        var handled = new LinkedBlockingQueue<String>();
        try (Semel semel = Semel.open("memory:")) {
            for (int i = 1; i <= 5; i++) {
                semel.send(TRACK, Message.of(ACME, Key.of("p-" + i), new Parcel("c-1", "p-" + i)))
                        .orThrow();
            }
            semel.handle(TRACK, (parcel, run) -> handled.add(parcel.number()));
            for (int i = 1; i <= 5; i++) {
                assertThat(handled.poll(1, TimeUnit.MINUTES)).isEqualTo("p-" + i);
            }
        }
    }

    /** A scenario is named as `Suite` D1: the suite must have a test of that scenario. */
    @Test
    void testsThatThePageNamesExist() throws IOException {
        Path root = PageFiles.repository();
        Matcher named = Pattern.compile("`(\\w+(?:Suite|Test))` ([A-Z]\\d+)")
                .matcher(Files.readString(root.resolve("docs/channels.md")));
        List<String> missing = new ArrayList<>();
        int seen = 0;
        while (named.find()) {
            seen++;
            if (!source(root, named.group(1)).contains("void " + named.group(2).toLowerCase(Locale.ROOT) + "_")) {
                missing.add(named.group());
            }
        }
        assertThat(missing).isEmpty();
        assertThat(seen).isGreaterThan(15);
    }

    private static String source(Path root, String type) throws IOException {
        try (Stream<Path> files = Files.find(
                root,
                16,
                (path, attributes) ->
                        path.endsWith(type + ".java") && !path.toString().contains("/target/"))) {
            for (Path file : files.toList()) {
                return Files.readString(file);
            }
        }
        return "";
    }
}
