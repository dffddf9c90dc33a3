package dev.semel.jdbc.fault;

import dev.semel.Channel;
import dev.semel.Semel;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.engine.EngineSettings;
import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.Await;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.Judgement;
import dev.semel.testkit.history.Rule;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Carriers in processes of their own on one place, and senders in this one; in the end everything is judged. */
final class Fleet implements AutoCloseable {
    static final Duration BOUND = Duration.ofSeconds(120);

    /** The rules of every run of a fleet. */
    static final Rule[] KEPT = {Rule.R1, Rule.R2, Rule.R5, Rule.R6, Rule.R7, Rule.R8, Rule.R9, Rule.R10};

    /** For stores that are to give up soon. */
    static final String IMPATIENT = "socketTimeout=2&connectTimeout=2&poolWaitMillis=2000";

    private final RunDatabases place;
    private final Path directory;
    private final Channel<FleetMessage> channel;
    private final FleetBug slip;
    private final History history;
    private final Semel semel;
    private final FleetSenders load;
    private final Map<String, Process> carriers = new HashMap<>();
    private int started;

    Fleet(RunDatabases place, Path directory, Channel<FleetMessage> channel, FleetBug slip) throws Exception {
        place.prepare();
        this.place = place;
        this.directory = directory;
        this.channel = channel;
        this.slip = slip;
        this.history = History.toFile("senders", TimeSource.system(), directory.resolve("senders.history"));
        this.semel = EngineSettings.on(place.open())
                .withPolicy(FleetMessage.POLICY)
                .withPolicy(WorkKind.POLICY)
                .open();
        this.load = new FleetSenders(place, semel, channel, history, slip);
    }

    FleetSenders load() {
        return load;
    }

    Semel semel() {
        return semel;
    }

    /** Starts a process and returns its name. */
    String start() throws IOException {
        return start(slip);
    }

    String start(FleetBug other) throws IOException {
        return start(other, List.of());
    }

    /** @param options of its JVM, besides the usual ones */
    String start(FleetBug other, List<String> options) throws IOException {
        String name = "carrier" + ++started;
        FleetNode.Order order = new FleetNode.Order(place, file(name), name, channel.name(), other);
        Process process =
                Jvms.shared().startTrained(place.engine(), options, FleetNode.class, log(name), order.arguments());
        carriers.put(name, process);
        return name;
    }

    /** A carrier in this process. */
    FleetNode carrier(RunDatabases through, Runnable onBegin) throws IOException, SQLException {
        return carrier(through, slip, onBegin);
    }

    FleetNode carrier(RunDatabases through, FleetBug other, Runnable onBegin) throws IOException, SQLException {
        String name = "carrier" + ++started;
        return new FleetNode(new FleetNode.Order(through, file(name), name, channel.name(), other), onBegin);
    }

    private Path file(String name) {
        return directory.resolve(name + ".history");
    }

    /** Waits until a carrier has begun to handle something. */
    void awaitBegun(String name) throws Exception {
        Process process = carriers.get(name);
        CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> {
            try {
                return process.getInputStream().read();
            } catch (IOException e) {
                return -1;
            }
        });
        try {
            if (read.get(BOUND.toSeconds(), TimeUnit.SECONDS) == 1) {
                return;
            }
        } catch (TimeoutException e) {
            process.destroyForcibly();
        }
        throw new AssertionError(name + " handled nothing: " + Files.readString(log(name)));
    }

    /** {@code kill -9}. */
    void kill(String name) throws InterruptedException {
        Process process = carriers.remove(name);
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGTERM; returns the exit value. */
    int terminate(String name) throws InterruptedException {
        Process process = carriers.remove(name);
        process.destroy();
        if (!process.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(name + " did not end within " + BOUND);
        }
        return process.exitValue();
    }

    Path log(String name) {
        return directory.resolve(name + ".log");
    }

    /** Waits until every accepted message has ended, but no longer than the bound: the verdict will name those that have not. */
    void awaitEnds(Duration bound) {
        try (Store store = place.open()) {
            AtomicReference<List<RecordId>> open = new AtomicReference<>(ids());
            Await.within(bound, () -> {
                int before;
                do {
                    before = open.get().size();
                    open.set(unended(store, open.get()));
                } while (open.get().size() < before);
                return open.get().isEmpty();
            });
        }
    }

    void awaitEnds() {
        awaitEnds(BOUND);
    }

    private List<RecordId> ids() {
        return load.accepted().stream().map(FleetMessage::id).toList();
    }

    /** Of the first few hundred those that have ended are dropped. */
    private static List<RecordId> unended(Store store, List<RecordId> open) {
        List<RecordId> asked = open.subList(0, Math.min(200, open.size()));
        Map<RecordId, Row> rows = store.ledger().find(asked).rows();
        List<RecordId> left = new ArrayList<>(open.subList(asked.size(), open.size()));
        for (RecordId id : asked) {
            Row row = rows.get(id);
            if (row != null && row.state() != State.COMPLETED) {
                left.add(id);
            }
        }
        return left;
    }

    /** How many of the accepted are in this state. */
    long count(State state) {
        long count = 0;
        try (Store store = place.open()) {
            List<RecordId> ids = ids();
            for (int i = 0; i < ids.size(); i += 200) {
                count += store.ledger().find(ids.subList(i, Math.min(i + 200, ids.size()))).rows().values().stream()
                        .filter(row -> row.state() == state)
                        .count();
            }
        }
        return count;
    }

    /** Ends the carriers in good order and judges. */
    Judgement judge() throws Exception {
        for (Map.Entry<String, Process> carrier : carriers.entrySet()) {
            carrier.getValue().getOutputStream().close();
        }
        for (Map.Entry<String, Process> carrier : carriers.entrySet()) {
            Jvms.await(carrier.getValue(), log(carrier.getKey()));
        }
        carriers.clear();
        return RunVerdict.judge(place, events(), FleetMessage::id);
    }

    /** How often a record was granted again because its holder was gone. */
    long takenOver() {
        try (Store store = place.open()) {
            return store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE).stream()
                    .filter(row -> row.entry().type() == EventType.OPERATION_TAKEN_OVER.code())
                    .count();
        }
    }

    /** The reasons of all attempts that failed. */
    Set<String> failures() {
        try (Store store = place.open()) {
            return store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE).stream()
                    .map(row -> String.valueOf(new AuditEvent(row).details().get("reason")))
                    .collect(Collectors.toSet());
        }
    }

    /** The histories of all of them. */
    private List<Event> events() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return History.read(
                    files.filter(file -> file.toString().endsWith(".history")).toList());
        }
    }

    @Override
    public void close() throws IOException {
        for (Process process : carriers.values()) {
            process.destroyForcibly();
            process.onExit().join();
        }
        semel.close();
        history.close();
    }
}
