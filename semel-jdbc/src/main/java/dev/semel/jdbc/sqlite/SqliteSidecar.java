package dev.semel.jdbc.sqlite;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The small file beside the database that a restore of the database alone does not take back with it.
 *
 * <p>It is changed only under the database's write lock, so that several processes never write it at once, and
 * neither number in it ever falls: a process may keep trusting a mark that it has read before.
 */
final class SqliteSidecar {
    /**
     * @param ledger names the database it belongs to
     * @param epoch of the ledger
     * @param seen a fence that was committed when this was written: a database that is behind it is an older copy
     * @param mark no fence beyond it has been issued by anyone
     */
    record Content(String ledger, int epoch, long seen, long mark) {
        /** Whether nothing can have been written to the ledger yet: its installation did not come to an end. */
        boolean unused() {
            return mark == 0;
        }

        private String text() {
            return "semel-epoch 1\nledger " + ledger + "\nepoch " + epoch + "\nseen " + seen + "\nmark " + mark + "\n";
        }
    }

    private static final Pattern FORM = Pattern.compile("(semel-epoch 1\nledger ([0-9a-f-]{36})\nepoch (\\d{1,9})\n"
            + "seen (\\d{1,18})\nmark (\\d{1,18})\n)crc ([0-9a-f]{1,8})\n");

    private final Path path;

    SqliteSidecar(Path database) {
        this.path = database.resolveSibling(database.getFileName() + ".epoch");
    }

    Path path() {
        return path;
    }

    /**
     * @throws IOException also when the file is damaged: {@link Damaged}
     */
    Optional<Content> read() throws IOException {
        String text;
        try {
            text = Files.readString(path, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Matcher found = FORM.matcher(text);
        if (!found.matches() || !crc(found.group(1)).equals(found.group(6))) {
            throw new Damaged(path);
        }
        return Optional.of(new Content(
                found.group(2),
                Integer.parseInt(found.group(3)),
                Long.parseLong(found.group(4)),
                Long.parseLong(found.group(5))));
    }

    /** Durable when it returns: the old content or the new is there, never a part. */
    void write(Content content) throws IOException {
        Path fresh = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel =
                FileChannel.open(fresh, options, PosixFilePermissions.asFileAttribute(SqliteFile.PRIVATE))) {
            String text = content.text();
            ByteBuffer bytes =
                    ByteBuffer.wrap((text + "crc " + crc(text) + "\n").getBytes(StandardCharsets.ISO_8859_1));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        SqliteFile.syncDirectory(path);
    }

    private static String crc(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return Long.toHexString(crc.getValue());
    }

    static final class Damaged extends IOException {
        private static final long serialVersionUID = 1;

        Damaged(Path path) {
            super(path + " is damaged");
        }
    }
}
