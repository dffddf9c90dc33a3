package dev.semel.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LaneTrafficTest {
    private static final int MANY = 300;

    @Test
    void webhooksOfALaneAreNumberedInTheirOrderAndSentUpToThreeTimesAtOnce() {
        LaneTraffic traffic = new LaneTraffic(0, new SplittableRandom(1));
        int copies = 0;
        for (int number = 1; number <= MANY; number++) {
            assertThat(traffic.next()).isEqualTo(number);
            int now = traffic.copies();
            assertThat(now).isBetween(1, 3);
            copies += now;
        }
        assertThat(copies).isBetween(MANY + 1, 3 * MANY - 1);
    }

    @Test
    void nowAndThenAnOlderWebhookIsSentAgain() {
        LaneTraffic traffic = new LaneTraffic(0, new SplittableRandom(2));
        assertThat(traffic.next()).isOne();
        assertThat(traffic.older()).as("there is none before the first").isEmpty();
        int repeated = 0;
        for (int number = 2; number <= MANY; number++) {
            traffic.next();
            OptionalInt older = traffic.older();
            if (older.isPresent()) {
                assertThat(older.getAsInt()).isBetween(Math.max(1, number - 30), number - 1);
                repeated++;
            }
        }
        assertThat(repeated).isBetween(1, MANY / 2);
    }

    @Test
    void acknowledgementsAreKeptSeveralAtOnceSoThatACrashForgetsSome() {
        LaneTraffic traffic = new LaneTraffic(0, new SplittableRandom(3));
        for (int number = 1; number < LaneTraffic.KEPT_AT_ONCE; number++) {
            traffic.next();
            assertThat(traffic.keeps()).isFalse();
        }
        traffic.next();
        assertThat(traffic.keeps()).isTrue();
        traffic.next();
        assertThat(traffic.keeps()).isFalse();
    }

    @Test
    void restartedSenderBeginsBehindTheNewestKeptAcknowledgement(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("journal");
        try (SenderJournal journal = SenderJournal.open(file)) {
            assertThat(journal.kept("semel", 1)).isZero();
            journal.keep("semel", 1, 6);
            journal.keep("semel", 2, 6);
            journal.keep("semel", 1, 12);
            journal.keep("by-hand", 1, 18);
        }
        // a kill in the middle of a line
        Files.writeString(file, "\nsemel 1 1", StandardCharsets.US_ASCII, StandardOpenOption.APPEND);
        try (SenderJournal journal = SenderJournal.open(file)) {
            assertThat(journal.kept("semel", 1)).isEqualTo(12);
            assertThat(journal.kept("semel", 2)).isEqualTo(6);
            assertThat(journal.kept("by-hand", 1)).isEqualTo(18);
            assertThat(new LaneTraffic(journal.kept("semel", 1), new SplittableRandom(4)).next())
                    .isEqualTo(13);
            journal.keep("semel", 1, 18);
        }
        try (SenderJournal journal = SenderJournal.open(file)) {
            assertThat(journal.kept("semel", 1)).isEqualTo(18);
        }
    }
}
