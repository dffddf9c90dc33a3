package dev.semel.examples.desk.documents;

import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.outbox.RenderJob;
import dev.semel.examples.desk.outbox.UploadJob;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.examples.desk.shared.Database;
import dev.semel.examples.desk.slack.SlackApi;
import dev.semel.examples.desk.slack.SlackApi.UploadSlot;
import dev.semel.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Renders documents and uploads them. A file is named by the checksum of its bytes, so the same content is one file. */
public final class Documents {
    private final Semel semel;
    private final Database database;
    private final SlackApi slack;
    private final Workshop workshop;

    /**
     * Where documents are made.
     *
     * @param folder of the files
     */
    public record Workshop(PdfRenderer renderer, Path folder, Checkpoint checkpoint) {}

    public Documents(Semel semel, Database database, SlackApi slack, Workshop workshop) {
        this.semel = semel;
        this.database = database;
        this.slack = slack;
        this.workshop = workshop;
    }

    /** Handles both channels, and their dead letters. */
    public void register() {
        semel.onDead(
                Channels.RENDER,
                (death, tx) -> tell(
                        death,
                        tx,
                        death.payload().orElseThrow().quote(),
                        death.payload().orElseThrow().asked()));
        semel.onDead(
                Channels.UPLOAD,
                (death, tx) -> tell(
                        death,
                        tx,
                        death.payload().orElseThrow().quote(),
                        death.payload().orElseThrow().asked()));
        semel.handle(Channels.RENDER, this::render);
        semel.handle(Channels.UPLOAD, this::upload);
    }

    private void render(RenderJob job, LeasedContext run) throws Exception {
        byte[] content = workshop.renderer().render(job);
        String checksum = checksum(content);
        Path file = workshop.folder().resolve(checksum + ".pdf");
        if (!Files.exists(file)) {
            write(file, content);
        }
        workshop.checkpoint().reached("render.after-file");
        UploadJob next = new UploadJob(checksum, job.quote(), job.asked().channel(), job.asked());
        Key key = Keys.action("upload", next.channel(), job.quote(), checksum);
        semel.inTransaction(tx -> {
            Database.write(
                    tx.connection(),
                    "INSERT OR IGNORE INTO artifact VALUES (?, ?, ?, NULL)",
                    checksum,
                    job.quote(),
                    file.toString());
            tx.send(Channels.UPLOAD, Channels.message(key, next, job.asked()));
            return checksum;
        });
    }

    // region upload
    private void upload(UploadJob job, LeasedContext run) throws Exception {
        if (uploaded(job.checksum()).isPresent()) {
            return;
        }
        byte[] content = Files.readAllBytes(workshop.folder().resolve(job.checksum() + ".pdf"));
        // The step keeps Slack's file id: a second attempt completes the same file.
        UploadSlot slot =
                run.step("reserve", UploadSlot.class, key -> slack.reserve(job.quote() + ".pdf", content.length));
        slack.upload(slot, content);
        slack.complete(slot.file(), job.quote() + ".pdf", job.channel());
        workshop.checkpoint().reached("upload.after-call");
        semel.inTransaction(tx -> Database.write(
                tx.connection(), "UPDATE artifact SET slack_file = ? WHERE checksum = ?", slot.file(), job.checksum()));
    }
    // endregion

    private Optional<String> uploaded(String checksum) throws SQLException {
        return database.first(
                "SELECT slack_file FROM artifact WHERE checksum = ? AND slack_file IS NOT NULL",
                row -> row.getString(1),
                checksum);
    }

    private static void tell(Death<?> death, AtomicContext tx, String quote, Asked asked) {
        String text = "There is no PDF of " + quote + ": " + death.failure().reason() + " (ref " + death.correlationId()
                + ")";
        List<Note.Button> buttons = List.of(
                new Note.Button("Retry", "retry", death.record().id()),
                new Note.Button("Check status", "status", death.record().id()));
        Key key = death.key("pdf-notice");
        tx.send(
                Channels.NOTICE,
                Channels.message(key, new Note(asked.channel(), key.text(), text, buttons, asked), asked));
    }

    /** Written beside and moved, so that a file with this name is whole. */
    private static void write(Path file, byte[] content) throws IOException {
        Files.createDirectories(file.getParent());
        Path part = Files.createTempFile(file.getParent(), "part", ".pdf");
        Files.write(part, content);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** SHA-256 in hexadecimal digits. */
    static String checksum(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256; this one has not.", e);
        }
    }
}
