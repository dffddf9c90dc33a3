package dev.semel.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.Judgement.Violation;
import dev.semel.testkit.history.Rule;
import java.io.IOException;
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
    private static final int FLAWED_PROCESSES = 2;
    private static final int ROUNDS = 60;

    @TempDir
    private Path directory;

    @Test
    void a1_ofFourProcessesOnSqliteOneRunsEachKey() throws Exception {
        assertOneRunsEachKey(RunDatabases.sqlite(directory));
    }

    @Test
    void a1_ofFourProcessesOnPostgresOneRunsEachKey() throws Exception {
        assertOneRunsEachKey(RunDatabases.postgres());
    }

    @Test
    void a1_storeOnSqliteThatLooksAndThenWritesIsCaught() throws Exception {
        assertCaught(RunDatabases.sqlite(directory));
    }

    @Test
    void a1_storeOnPostgresThatLooksAndThenWritesIsCaught() throws Exception {
        assertCaught(RunDatabases.postgres());
    }

    private void assertOneRunsEachKey(RunDatabases place) throws Exception {
        List<Path> histories = race(place, PROCESSES, ROUNDS, ServiceBug.NONE);
        RunVerdict.judge(place, histories).assertHolds(Rule.R1, Rule.R2, Rule.R3, Rule.R5, Rule.R7, Rule.R8, Rule.R9);
        assertThat(executed(histories)).isEqualTo(ROUNDS);
    }

    private void assertCaught(RunDatabases place) throws Exception {
        List<Path> histories = race(place, FLAWED_PROCESSES, WorkKind.values().length, ServiceBug.LOOKS_THEN_WRITES);
        assertThat(RunVerdict.judge(place, histories).violations())
                .filteredOn(violation -> violation.rule() == Rule.R2)
                .extracting(Violation::record)
                .contains("pay/r0", "print/r2");
    }

    private static long executed(List<Path> histories) throws IOException {
        return History.read(histories).stream()
                .filter(event -> event instanceof Event.Ended ended && ended.ending() == Ending.EXECUTED)
                .count();
    }

    /** How often a racer says in a round that it is ready: that flaw does so within its call too. */
    private static int stops(ServiceBug flaw) {
        return flaw == ServiceBug.LOOKS_THEN_WRITES ? 2 : 1;
    }

    private List<Path> race(RunDatabases place, int processes, int rounds, ServiceBug flaw) throws Exception {
        place.prepare();
        List<Process> racers = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                racers.add(start(place, i, flaw));
            }
            for (int stop = 0; stop < rounds * stops(flaw); stop++) {
                awaitReady(racers);
                for (Process racer : racers) {
                    racer.getOutputStream().write(1);
                    racer.getOutputStream().flush();
                }
            }
            awaitReady(racers);
            for (int i = 0; i < processes; i++) {
                racers.get(i).getOutputStream().close();
                Jvms.await(racers.get(i), directory.resolve("racer" + i + ".log"));
            }
        } finally {
            racers.forEach(Process::destroyForcibly);
        }
        List<Path> histories = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            histories.add(directory.resolve("racer" + i + ".history"));
        }
        return histories;
    }

    private void awaitReady(List<Process> racers) throws Exception {
        for (int i = 0; i < racers.size(); i++) {
            assertThat(racers.get(i).getInputStream().read())
                    .as(Files.readString(directory.resolve("racer" + i + ".log")))
                    .isEqualTo(1);
        }
    }

    private Process start(RunDatabases place, int number, ServiceBug flaw) throws Exception {
        String name = "racer" + number;
        List<String> arguments =
                List.of(place.store(), place.effects(), place.outside(), directory.toString(), name, flaw.name());
        return Jvms.shared().start(RaceProcess.class, directory.resolve(name + ".log"), arguments);
    }
}
