package dev.semel.jdbc.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.SemelException.Misconfigured;
import dev.semel.jdbc.shared.EffectFixture;
import dev.semel.testkit.OrdinaryUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * B6, wrong owner: files as a crash leaves them, log included, that somebody opens to whom one of them does not belong. Run by
 * root, the file is root's and another user opens it; otherwise the file has a mode that keeps its own owner out.
 */
@Timeout(300)
class SqliteOwnerTest {
    private static final List<String> FILES = List.of("", "-wal", "-shm", ".epoch");

    @TempDir
    private Path directory;

    private OrdinaryUser user;
    private Path place;

    /** Tells what comes of opening the store. */
    public static final class Main {
        private Main() {}

        public static void main(String[] args) throws Exception {
            try (SqliteStore store = SqliteFixture.open(Path.of(args[0]))) {
                System.out.println("opened, effects: " + EffectFixture.number(store, "SELECT count(*) FROM effect"));
            } catch (Misconfigured e) {
                System.out.println("refused: " + e.getMessage());
            }
        }
    }

    @BeforeEach
    void leaveFilesAsACrashDoes() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        user = OrdinaryUser.in(Files.createDirectory(directory.resolve("scratch")));
        place = Files.createDirectory(directory.resolve("place"));
        user.own(place);
        Path original = Files.createDirectory(directory.resolve("original")).resolve("semel.db");
        try (SqliteStore store = SqliteFixture.open(original)) {
            EffectFixture.makeTable(store);
            EffectFixture.call(store, "k");
            for (String each : FILES) {
                Files.copy(original.resolveSibling(original.getFileName() + each), file(each));
                permit(file(each));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-wal", "-shm", ".epoch"})
    void b6_aFileOfTheWrongOwnerIsAClearErrorAndNothingIsChanged(String wrong) throws IOException {
        List<String> before = state();
        forbid(file(wrong));
        List<String> forbidden = modes();

        assertThat(open())
                .startsWith("refused: sqlite:" + file("") + " cannot be opened")
                .contains(told(wrong))
                .doesNotContain(FILES.stream()
                        .filter(each -> !each.equals(wrong))
                        .map(this::told)
                        .toList());

        assertThat(modes()).isEqualTo(forbidden);
        permit(file(wrong));
        assertThat(state()).isEqualTo(before);
        assertThat(open()).isEqualTo("opened, effects: 1");
    }

    @Test
    void b6_allFilesOfTheWrongOwnerAreReportedAtOnce() throws IOException {
        for (String each : FILES) {
            forbid(file(each));
        }
        assertThat(open())
                .startsWith("refused: ")
                .contains(FILES.stream().map(this::told).toList());
    }

    @Test
    void b6_directoryOfTheWrongOwnerIsAClearErrorAndNothingIsChanged() throws IOException {
        List<String> before = state();
        disown(place, "r-xr-xr-x");
        assertThat(open())
                .startsWith("refused: ")
                .contains("its directory " + place + " cannot be written by " + user.name());
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
        user.own(place);
        assertThat(state()).isEqualTo(before);
        assertThat(open()).isEqualTo("opened, effects: 1");
    }

    private String told(String wrong) {
        return file(wrong) + " belongs to " + System.getProperty("user.name") + " and cannot be read and written by "
                + user.name() + ": change its owner or mode";
    }

    private String open() throws IOException {
        return user.run(Main.class, file("").toString()).strip();
    }

    private Path file(String suffix) {
        return place.resolve("semel.db" + suffix);
    }

    private void permit(Path file) throws IOException {
        Files.setPosixFilePermissions(file, SqliteFile.PRIVATE);
        user.own(file);
    }

    private void forbid(Path file) throws IOException {
        disown(file, user.isAnother() ? "rw-------" : "---------");
    }

    /** By the one who runs the test; it is the same one when that is not root. */
    private void disown(Path path, String mode) throws IOException {
        Files.setOwner(path, Files.getOwner(directory));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    /** Names and contents. */
    private List<String> state() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(place)) {
            for (Path file : files.sorted().toList()) {
                found.add(file + " " + HexFormat.of().formatHex(Files.readAllBytes(file)));
            }
        }
        return found;
    }

    /** Names, owners, modes, sizes and times. */
    private List<String> modes() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.list(place)) {
            for (Path file : files.sorted().toList()) {
                PosixFileAttributes is =
                        Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                found.add(String.join(
                        " ",
                        file.toString(),
                        is.owner().getName(),
                        PosixFilePermissions.toString(is.permissions()),
                        String.valueOf(is.size()),
                        is.lastModifiedTime().toString()));
            }
        }
        return found;
    }
}
