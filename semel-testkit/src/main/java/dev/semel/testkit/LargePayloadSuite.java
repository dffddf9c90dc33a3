package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Claim;
import dev.semel.store.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims that leave large payloads out. */
abstract class LargePayloadSuite extends QueueFixture {
    private static final int SMALL = Claim.Amount.SMALL;

    LargePayloadSuite(StoreContract contract) {
        super(contract);
    }

    private static void hasAll(Row row, int size) {
        assertThat(row.payload()).hasSize(size);
        assertThat(row.withheld()).isZero();
    }

    private static void isWithheld(Row row, int size) {
        assertThat(row.payload()).isNull();
        assertThat(row.withheld()).isEqualTo(size);
    }

    private static void hasNone(Row row) {
        assertThat(row.payload()).isNull();
        assertThat(row.withheld()).isZero();
    }

    private void claims(List<Row> rows) {
        assertThat(rows).hasSize(4);
        hasNone(rows.get(0));
        hasAll(rows.get(1), 0);
        hasAll(rows.get(2), SMALL);
        isWithheld(rows.get(3), SMALL + 1);
        assertThat(posted("large").payload()).hasSize(SMALL + 1);
    }

    private void send(String lane) {
        send(
                ArrivalBuilder.of("none").with(null).in(lane),
                ArrivalBuilder.of("empty").with(new byte[0]).in(lane),
                ArrivalBuilder.of("small").with(new byte[SMALL]).in(lane),
                ArrivalBuilder.of("large").with(new byte[SMALL + 1]).in(lane));
    }

    @Test
    void payloadOverTheLimitOfAClaimIsLeftOutAndItsSizeIsTold() {
        send("lane");
        claims(granted(ClaimBuilder.of(10).inline(SMALL).by(42)));
        claims(queue.heldBy(ArrivalBuilder.CHANNEL, 42));
    }

    @Test
    void claimWithoutALimitHasEveryPayload() {
        send(ArrivalBuilder.of("large").with(new byte[100_000]));
        hasAll(grantedOne(ClaimBuilder.of(10)), 100_000);
    }

    @Test
    void largePayloadOfARecordWithoutALaneIsLeftOutWhenItIsGrantedAndWhenItIsTakenOver() {
        send(ArrivalBuilder.of("large").with(new byte[100_000]));
        isWithheld(grantedOne(ClaimBuilder.of(10).inline(SMALL).leasedFor(1_000)), 100_000);
        pass(1_001);
        isWithheld(grantedOne(ClaimBuilder.of(10).inline(SMALL)), 100_000);
    }
}
