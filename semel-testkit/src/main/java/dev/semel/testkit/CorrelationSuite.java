package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lookups by correlation id. */
abstract class CorrelationSuite extends QueueFixture {
    private static final String SECOND = "correlation-2";

    CorrelationSuite(StoreContract contract) {
        super(contract);
    }

    private List<String> found(String tenant, String correlation) {
        return keys(ledger.findByCorrelation(tenant, correlation, 10));
    }

    @Test
    void callsComeBeforeMessagesAndEachInTheirOrder() {
        send(ArrivalBuilder.of("mail 1").fingerprinted(2));
        grant(ReservationBuilder.of("call 1").fingerprinted(2));
        send(ArrivalBuilder.of("mail 2").fingerprinted(2).in("lane"));
        grant(ReservationBuilder.of("call 2").fingerprinted(2));
        grant("of another correlation id");
        assertThat(found(ReservationBuilder.TENANT, SECOND)).containsExactly("call 1", "call 2", "mail 1", "mail 2");
        assertThat(keys(ledger.findByCorrelation(ReservationBuilder.TENANT, SECOND, 3)))
                .containsExactly("call 1", "call 2", "mail 1");
    }

    @Test
    void recordIsFoundInEveryStateWithItsPlaceAndItsSender() {
        for (State state : State.values()) {
            if (state != State.QUEUED) {
                put(state.name(), state, 1_000, 0);
            }
        }
        send(ArrivalBuilder.of("QUEUED")
                .sentBy(ReservationBuilder.id("COMPLETED"))
                .in("lane"));
        List<Row> rows = ledger.findByCorrelation(ReservationBuilder.TENANT, "correlation-1", 20);
        assertThat(rows).hasSize(State.values().length);
        assertThat(rows)
                .allSatisfy(row ->
                        assertThat(row.state().name()).isEqualTo(row.header().key()));
        Row message = rows.get(rows.size() - 1);
        assertThat(message.header().parent()).isEqualTo(ReservationBuilder.id("COMPLETED"));
        assertThat(line(message).lane()).isNotNull();
    }

    @Test
    void stepsAreLeftOut() {
        long fence = grant("parent").fence();
        grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence));
        assertThat(found(ReservationBuilder.TENANT, "correlation-1")).containsExactly("parent");
    }

    @Test
    void h4_recordOfAnotherTenantIsNotFound() {
        grant(ReservationBuilder.of("k").fingerprinted(2));
        send(ArrivalBuilder.of("m").fingerprinted(2));
        grant(ReservationBuilder.of("k").of(Tenant.of("globex")).fingerprinted(2));
        assertThat(found("globex", SECOND)).containsExactly("k");
        assertThat(ledger.findByCorrelation("globex", SECOND, 10))
                .allSatisfy(row -> assertThat(row.header().tenant()).isEqualTo("globex"));
        assertThat(found("nobody", SECOND)).isEmpty();
        assertThat(found(ReservationBuilder.TENANT, "correlation")).isEmpty();
        assertThat(found(ReservationBuilder.TENANT, "CORRELATION-2")).isEmpty();
        assertThat(found(ReservationBuilder.TENANT, "' OR '1'='1")).isEmpty();
    }

    @Test
    void recordThatIsPurgedIsNoLongerFound() {
        put("k", State.COMPLETED, 1_000, 0);
        pass(1_000);
        assertThat(found(ReservationBuilder.TENANT, "correlation-1"))
                .as("expired and still there")
                .containsExactly("k");
        ledger.purge(10, counts -> List.of());
        assertThat(found(ReservationBuilder.TENANT, "correlation-1")).isEmpty();
    }
}
