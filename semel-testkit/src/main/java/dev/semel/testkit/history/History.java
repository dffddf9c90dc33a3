package dev.semel.testkit.history;

import dev.semel.time.TimeSource;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The log of a run by one process: each line is stamped and written as it is appended, so that a process which is killed
 * leaves everything it had written. Calls are bracketed: {@link #invoke} before, {@link #end} after; a call that never ended
 * counts as unknown. Thread-safe.
 */
public final class History implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String process;
    private final TimeSource time;
    private final @Nullable FileOutputStream file;
    private final List<Event> events = new ArrayList<>();
    private long calls;

    private History(String process, TimeSource time, @Nullable FileOutputStream file) {
        this.process = process;
        this.time = time;
        this.file = file;
    }

    /** A history in memory. */
    public static History inMemory(String process, TimeSource time) {
        return new History(process, time, null);
    }

    /** A history that is appended to a file, one JSON object a line. Interrupts do not affect it. */
    public static History toFile(String process, TimeSource time, Path file) throws IOException {
        return new History(process, time, new FileOutputStream(file.toFile(), true));
    }

    /** A call begins; returns its number. */
    public long invoke(String record, byte @Nullable [] payload) {
        synchronized (events) {
            long call = ++calls;
            append(stamp -> new Event.Invoked(stamp, record, call, hash(payload)));
            return call;
        }
    }

    /** The handler of the call was entered under this grant. */
    public void start(String record, long call, long fence, int attempt) {
        append(stamp -> new Event.Started(stamp, record, call, new Event.Grant(fence, attempt)));
    }

    /** The call came back. */
    public void end(String record, long call, Event.Ending ending, Event.Grant grant, byte @Nullable [] result) {
        append(stamp -> new Event.Ended(stamp, record, call, ending, grant, hash(result)));
    }

    /** Stamps an event and writes it. */
    public void append(Function<Event.Stamp, Event> event) {
        synchronized (events) {
            Event stamped = event.apply(new Event.Stamp(process, time.nanos()));
            events.add(stamped);
            if (file != null) {
                write(file, stamped);
            }
        }
    }

    /** The events that this process has written, in order. */
    public List<Event> events() {
        synchronized (events) {
            return List.copyOf(events);
        }
    }

    /** Reads the files of all processes of a run into one order. A line that a kill cut short is left out. */
    public static List<Event> read(Collection<Path> files) throws IOException {
        List<Event> all = new ArrayList<>();
        for (Path file : files) {
            List<String> lines =
                    Files.readString(file, StandardCharsets.UTF_8).lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                try {
                    all.add(JSON.readValue(lines.get(i), Event.class));
                } catch (JacksonException e) {
                    if (i + 1 < lines.size()) {
                        throw new IOException("Line " + (i + 1) + " of " + file + " is not an event.", e);
                    }
                }
            }
        }
        return inOrder(all);
    }

    /** Several histories as one. */
    public static List<Event> merge(Collection<History> histories) {
        return inOrder(histories.stream().flatMap(h -> h.events().stream()).toList());
    }

    /** A short form of a payload or result. */
    public static @Nullable String hash(byte @Nullable [] bytes) {
        if (bytes == null) {
            return null;
        }
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime must have SHA-256; this one has not.", e);
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** The sort is stable: where a clock stands still, the order of writing decides. */
    private static List<Event> inOrder(List<Event> events) {
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(event -> event.stamp().nanos()));
        return sorted;
    }

    private static void write(FileOutputStream file, Event event) {
        try {
            file.write((JSON.writeValueAsString(event) + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("The history cannot be written; the run cannot be judged.", e);
        }
    }
}
