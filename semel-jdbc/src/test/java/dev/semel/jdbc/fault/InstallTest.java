package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.store.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** B11: the installation is killed half-way. */
@Timeout(300)
class InstallTest {
    private static final int KILLS = 12;

    @TempDir
    private Path directory;

    /** Opens a store for the first time; a byte before, a file after. */
    public static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            System.out.write(1);
            System.out.flush();
            try (Store store = new Place(arguments[0], "", "").open()) {
                Files.writeString(Path.of(arguments[1]), store.name());
            }
        }
    }

    @Test
    void b11_anInstallationOnSqliteThatIsKilledIsTakenUpAgain() throws Exception {
        int halfWay = 0;
        for (int i = 0; i < KILLS; i++) {
            halfWay += killed(Place.sqlite(Files.createDirectory(directory.resolve("d" + i))), i) ? 1 : 0;
        }
        assertThat(halfWay).as("kills before the installation had ended").isPositive();
    }

    @Test
    void b11_anInstallationOnPostgresThatIsKilledIsTakenUpAgain() throws Exception {
        int halfWay = 0;
        for (int i = 0; i < KILLS; i++) {
            halfWay += killed(Place.postgres(), i) ? 1 : 0;
        }
        assertThat(halfWay).as("kills before the installation had ended").isPositive();
    }

    private boolean killed(Place place, int number) throws Exception {
        Path log = directory.resolve("install" + number + ".log");
        Path done = directory.resolve("done" + number);
        Process process = Jvms.shared().start(Main.class, log, List.of(place.store(), done.toString()));
        try {
            assertThat(process.getInputStream().read())
                    .as(Files.readString(log))
                    .isEqualTo(1);
            process.waitFor(new SplittableRandom(number).nextInt(400), TimeUnit.MILLISECONDS);
        } finally {
            process.destroyForcibly();
            process.waitFor();
        }
        boolean halfWay = !Files.exists(done);
        place.prepare();
        try (Node node =
                new Node(place, directory, "after" + number + place.store().hashCode())) {
            assertThat(node.ask(Work.PAY, "k")).isInstanceOf(Answer.Executed.class);
        }
        return halfWay;
    }
}
