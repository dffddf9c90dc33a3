package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.Fingerprint;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.FoundRecords;
import dev.semel.store.Header;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class LargePayloadsTest {
    private static final int BUDGET = 1 << 20;

    /** Every call is an error. */
    private static final Ledger NEVER_ASKED = (Ledger) Proxy.newProxyInstance(
            LargePayloadsTest.class.getClassLoader(), new Class<?>[] {Ledger.class}, (proxy, method, arguments) -> {
                throw new AssertionError(method + " was called");
            });

    private final PayloadBudget budget = new PayloadBudget(BUDGET);
    private final LargePayloads payloads = new LargePayloads(budget);

    private static Row withheld(int number, int size) {
        byte[] id = new byte[32];
        id[0] = (byte) number;
        Row row = row(size);
        return new Row(RecordId.of(id), row.header(), row.status(), row.contents(), null).withoutLargePayload(0);
    }

    /** Reads payloads of the size that each row says. */
    private static Ledger ledgerOf(List<Row> rows) {
        return (Ledger) Proxy.newProxyInstance(
                LargePayloadsTest.class.getClassLoader(),
                new Class<?>[] {Ledger.class},
                (proxy, method, arguments) -> new FoundRecords(
                        rows.stream()
                                .filter(row -> ((Collection<?>) arguments[0]).contains(row.id()))
                                .collect(Collectors.toMap(Row::id, row -> row.withPayload(new byte[row.withheld()]))),
                        0));
    }

    @Test
    void largePayloadIsNotOvertakenBySmallerOnesThatWouldStillFit() {
        payloads.add(row(BUDGET / 2));
        List<Row> rows = List.of(withheld(1, BUDGET), withheld(2, BUDGET / 4), withheld(3, BUDGET / 4));
        List<Row> read = payloads.read(rows, ledgerOf(rows));
        assertThat(read).extracting(Row::withheld).containsExactly(0, BUDGET / 4, BUDGET / 4);
        payloads.add(read.get(0));
        assertThat(payloads.claimable(10))
                .as("nothing more until some are done")
                .isZero();
    }

    private static Row row(int size) {
        return new Row(
                RecordId.LAST,
                new Header("acme", "films", "k", Fingerprint.of(new byte[35]), new Header.Trail("c", null), null),
                new Status(State.IN_PROGRESS, 1, 0, 0, 0, 1),
                new byte[size],
                null,
                null);
    }

    @Test
    void claimOfSmallPayloadsIsNeitherSmallerNorAsksTheLedgerAgain() {
        List<Row> rows = List.of(row(10), row(Claim.Amount.SMALL));
        assertThat(payloads.read(rows, NEVER_ASKED)).isSameAs(rows);
        rows.forEach(payloads::add);
        assertThat(payloads.claimable(512)).isEqualTo(512);
        assertThat(budget.left()).isEqualTo(BUDGET);
    }

    @Test
    void heldPayloadsCountUntilTheyAreReleased() {
        Row large = row(BUDGET / 4);
        payloads.add(large);
        assertThat(budget.left()).isEqualTo(BUDGET / 4 * 3);
        payloads.remove(large);
        assertThat(budget.left()).isEqualTo(BUDGET);
    }
}
