package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Renewal;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys, results and batches at their limits. */
abstract class ValueSuite extends ContractSuite {
    private static final int BATCH = 1_000;

    ValueSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void a8_keysThatDifferInAnythingAreDifferentRecordsAndAreReadBackToTheLetter() {
        List<String> keys = List.of(
                "k",
                "K",
                "k ",
                " k",
                "k\t",
                "\u00e9",
                "e\u0301",
                "\u0000",
                "k\u0000",
                "k\u0000k",
                "\uD83D\uDE00",
                "\uD83D\uDE00\uD83D\uDE01",
                "stra\u00dfe",
                "strasse",
                "\u0130",
                "i\u0307",
                "'; drop table x; --",
                "%",
                "_",
                "\\",
                "\"",
                "x".repeat(255),
                "x".repeat(254),
                "\uD83D\uDE00".repeat(127),
                "\u4e2d".repeat(255));
        Set<Long> fences = new HashSet<>();
        for (String key : keys) {
            Reserved.Granted granted = grant(key);
            assertThat(granted.attempt()).isEqualTo(1);
            fences.add(granted.fence());
        }
        assertThat(fences).hasSameSizeAs(keys);
        for (String key : keys) {
            assertThat(row(key).header()).isEqualTo(ReservationBuilder.of(key).header());
        }
    }

    @Test
    void resultsOfNothingOfNoBytesAndOfAMegabyteAreReadBackToTheByte() {
        byte[] large = new byte[1 << 20];
        new Random(1).nextBytes(large);
        byte[][] results = {null, new byte[0], {0}, {(byte) 0xff, 0, 1}, large};
        for (int i = 0; i < results.length; i++) {
            String key = "k" + i;
            long fence = grant(ReservationBuilder.of(key).with(results[i])).fence();
            apply(MoveBuilder.of(ReservationBuilder.id(key), fence, State.COMPLETED)
                    .in(1_000)
                    .result(results[i])
                    .failure(results[i]));
            Row row = row(key);
            assertThat(Arrays.equals(row.result(), results[i]))
                    .as("result %s", i)
                    .isTrue();
            assertThat(Arrays.equals(row.failure(), results[i]))
                    .as("failure %s", i)
                    .isTrue();
            Row replayed = existing(reserve(ReservationBuilder.of(key))).row();
            assertThat(Arrays.equals(replayed.result(), results[i]))
                    .as("replay %s", i)
                    .isTrue();
        }
    }

    @Test
    void thousandRecordsPassThroughEachCallAtOnce() {
        List<Reservation> reservations = new ArrayList<>();
        List<RecordId> ids = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            reservations.add(ReservationBuilder.of("k" + i).reservation());
            ids.add(ReservationBuilder.id("k" + i));
        }
        List<Reserved> reserved = ledger.reserve(board.modes().version(), reservations);
        assertThat(reserved).hasSize(BATCH).allMatch(Reserved.Granted.class::isInstance);

        List<Renewal> renewals = new ArrayList<>();
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < BATCH; i++) {
            long fence = granted(reserved.get(i)).fence();
            renewals.add(new Renewal(ids.get(i), fence, 60_000));
            moves.add(MoveBuilder.of(ids.get(i), fence, State.COMPLETED)
                    .in(1_000)
                    .result(bytes("r" + i))
                    .with(ReservationBuilder.of("k" + i).event(1))
                    .move());
        }
        assertThat(ledger.renew(renewals)).hasSize(BATCH).doesNotContain(false);
        assertThat(ledger.move(moves)).hasSize(BATCH).containsOnly(new Moved.Applied());
        assertThat(ledger.move(moves)).hasSize(BATCH).containsOnly(new Moved.Same());

        FoundRecords found = ledger.find(ids);
        for (int i = 0; i < BATCH; i++) {
            assertThat(found.get(ids.get(i)).result()).isEqualTo(bytes("r" + i));
        }
        List<Reserved> replays = ledger.reserve(board.modes().version(), reservations);
        for (int i = 0; i < BATCH; i++) {
            assertThat(existing(replays.get(i)).row().result()).isEqualTo(bytes("r" + i));
        }
        assertThat(audit.behindHorizon(dev.semel.store.AuditRow.Position.START, 2 * BATCH))
                .hasSize(BATCH);
        pass(1_000);
        int gone = 0;
        for (Map<String, Integer> removed = purge(); !removed.isEmpty(); removed = purge()) {
            assertThat(removed).containsOnlyKeys(ReservationBuilder.TENANT);
            gone += removed.get(ReservationBuilder.TENANT);
        }
        assertThat(gone).isEqualTo(BATCH);
    }

    /** A store may remove fewer at once. */
    private Map<String, Integer> purge() {
        return ledger.purge(BATCH, counts -> List.of());
    }
}
