package dev.semel.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.Event.Reception;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {
    @TempDir
    Path directory;

    @Test
    void everyKindOfEventIsReadAsItWasWritten() throws IOException {
        Path file = directory.resolve("p.jsonl");
        try (History history = History.toFile("p", TimeSource.system(), file)) {
            long call = history.invoke("a", new byte[] {1});
            history.start("a", call, 1L << 48 | 7, 2);
            history.append(s ->
                    new Event.Delivered(s, "a", new Grant(7, 2), "h", Reception.APPLIED, new Event.Place("lane", 3)));
            history.end("a", call, Ending.EXECUTED, new Grant(7, 2), null);
            history.append(s -> new Event.Audited(s, "a", "operation.executed", new Grant(7, 2)));
            history.append(s -> new Event.Chained(s, true, "unbroken"));
            history.append(s -> new Event.Left(s, "a", "COMPLETED", null, false));
            assertThat(History.read(List.of(file))).isEqualTo(history.events());
        }
    }

    @Test
    void severalProcessesAreReadInTheOrderOfTheirClock() throws IOException {
        ManualTime clock = new ManualTime(0);
        Path one = directory.resolve("one.jsonl");
        Path two = directory.resolve("two.jsonl");
        try (History first = History.toFile("one", clock, one);
                History second = History.toFile("two", clock, two)) {
            for (int i = 0; i < 6; i++) {
                clock.advance(Duration.ofNanos(1));
                (i % 2 == 0 ? first : second).invoke("r" + i, null);
            }
            assertThat(History.read(List.of(two, one)))
                    .extracting(Event::record)
                    .containsExactly("r0", "r1", "r2", "r3", "r4", "r5");
            assertThat(History.merge(List.of(second, first))).isEqualTo(History.read(List.of(two, one)));
        }
    }

    @Test
    void lineThatAKillCutShortIsLeftOutAndAnyOtherDamageIsReported() throws IOException {
        Path file = directory.resolve("p.jsonl");
        try (History history = History.toFile("p", TimeSource.system(), file)) {
            history.invoke("a", null);
        }
        Files.writeString(file, "{\"event\":\"inv", StandardOpenOption.APPEND);
        assertThat(History.read(List.of(file))).hasSize(1);
        Files.writeString(file, "\n{}\n", StandardOpenOption.APPEND);
        assertThatThrownBy(() -> History.read(List.of(file)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Line 2");
    }

    @Test
    void manyThreadsWriteWholeLines() throws Exception {
        Path file = directory.resolve("p.jsonl");
        try (History history = History.toFile("p", TimeSource.system(), file)) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < 200; i++) {
                        history.end("a", history.invoke("a", null), Ending.FAIL, Grant.NONE, null);
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        List<Event> events = History.read(List.of(file));
        assertThat(events).hasSize(3_200);
        assertThat(HistoryChecker.check(events).counts().calls()).isEqualTo(1_600);
    }

    @Test
    void nothingHasNoHash() {
        assertThat(History.hash(null)).isNull();
        assertThat(History.hash(new byte[0])).isNotNull().isNotEqualTo(History.hash(new byte[1]));
    }
}
