package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A1: four processes ask for one key at once. */
@Timeout(300)
class RaceTest {
    private static final int PROCESSES = 4;
    private static final int ROUNDS = 60;

    @TempDir
    private Path directory;

    @Test
    void a1_ofFourProcessesOnSqliteOneRunsEachKey() throws Exception {
        race(Place.sqlite(directory));
    }

    @Test
    void a1_ofFourProcessesOnPostgresOneRunsEachKey() throws Exception {
        race(Place.postgres());
    }

    private void race(Place place) throws Exception {
        place.prepare();
        List<Process> racers = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                racers.add(start(place, i));
            }
            for (int round = 0; round < ROUNDS; round++) {
                awaitReady(racers);
                for (Process racer : racers) {
                    racer.getOutputStream().write(1);
                    racer.getOutputStream().flush();
                }
            }
            awaitReady(racers);
            for (int i = 0; i < PROCESSES; i++) {
                racers.get(i).getOutputStream().close();
                Jvms.await(racers.get(i), directory.resolve("racer" + i + ".log"));
            }
        } finally {
            racers.forEach(Process::destroyForcibly);
        }
        List<Path> histories = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            histories.add(directory.resolve("racer" + i + ".history"));
        }
        Judge.judge(place, histories).assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R5, Rule.R7, Rule.R8, Rule.R9);
        assertThat(History.read(histories))
                .filteredOn(event -> event instanceof Event.Ended ended && ended.ending() == Ending.EXECUTED)
                .hasSize(ROUNDS);
    }

    private void awaitReady(List<Process> racers) throws Exception {
        for (int i = 0; i < racers.size(); i++) {
            assertThat(racers.get(i).getInputStream().read())
                    .as(Files.readString(directory.resolve("racer" + i + ".log")))
                    .isEqualTo(1);
        }
    }

    private Process start(Place place, int number) throws Exception {
        String name = "racer" + number;
        List<String> arguments = List.of(place.store(), place.effects(), place.outside(), directory.toString(), name);
        return Jvms.shared().start(Racer.class, directory.resolve(name + ".log"), arguments);
    }
}
