package dev.semel.demo;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which acknowledgements the sender has kept: a line for each, so that a kill costs the last line at most. Thread-safe. */
final class SenderJournal implements AutoCloseable {
    private static final Pattern LINE = Pattern.compile("(\\S+ \\d+) (\\d+);");

    private final Map<String, Integer> kept = new HashMap<>();
    private final FileOutputStream out;

    private SenderJournal(FileOutputStream out) {
        this.out = out;
    }

    static SenderJournal open(Path file) throws IOException {
        String earlier = Files.exists(file) ? Files.readString(file, StandardCharsets.US_ASCII) : "";
        SenderJournal journal = new SenderJournal(new FileOutputStream(file.toFile(), true));
        Matcher lines = LINE.matcher(earlier);
        while (lines.find()) {
            journal.kept.merge(lines.group(1), Integer.parseInt(lines.group(2)), Math::max);
        }
        return journal;
    }

    /** The newest webhook of a customer that this receiver is known to have acknowledged; 0 for none. */
    synchronized int kept(String receiver, int customer) {
        return kept.getOrDefault(receiver + " " + customer, 0);
    }

    synchronized void keep(String receiver, int customer, int number) {
        try {
            out.write(("\n" + receiver + " " + customer + " " + number + ";").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("The sender's journal cannot be written.", e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
