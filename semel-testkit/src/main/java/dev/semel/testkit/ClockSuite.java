package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.Reserved;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A11: the store's time while its wall clock is set forth and back. */
abstract class ClockSuite extends ContractSuite {
    private static final Duration YEAR = Duration.ofDays(365);
    private static final long HOUR = 3_600_000;

    ClockSuite(StoreContract contract) {
        super(contract);
    }

    @Test
    void a11_recordMadeWhileTheClockWasAYearBehindIsKeptWhenItIsRightAgain() {
        put("before", State.COMPLETED, HOUR, 0);
        time.jump(YEAR.negated());
        pass(2_000);
        put("meanwhile", State.COMPLETED, HOUR, 0);
        time.jump(YEAR);
        pass(2_000);
        assertThat(existing(reserve(ReservationBuilder.of("before"))).row().state())
                .isEqualTo(State.COMPLETED);
        assertThat(existing(reserve(ReservationBuilder.of("meanwhile"))).row().state())
                .isEqualTo(State.COMPLETED);
    }

    @Test
    void a11_recordMadeWhileTheClockWasAYearAheadExpiresAfterItsRetention() {
        time.jump(YEAR);
        put("meanwhile", State.COMPLETED, HOUR, 0);
        time.jump(YEAR.negated());
        pass(HOUR - 60_000);
        existing(reserve(ReservationBuilder.of("meanwhile")));
        pass(120_000);
        granted(reserve(ReservationBuilder.of("meanwhile")));
    }

    @Test
    void a11_leaseLastsAsLongAsItWasGrantedForWhileTheClockIsSetForth() {
        grant(ReservationBuilder.of("k").leasedFor(30_000));
        time.jump(YEAR);
        existing(reserve(ReservationBuilder.of("k")));
        pass(25_000);
        existing(reserve(ReservationBuilder.of("k")));
        pass(6_000);
        granted(reserve(ReservationBuilder.of("k")));
    }

    @Test
    void a11_leaseLastsAsLongAsItWasGrantedForWhileTheClockIsSetBack() {
        grant(ReservationBuilder.of("k").leasedFor(30_000));
        time.jump(YEAR.negated());
        pass(25_000);
        existing(reserve(ReservationBuilder.of("k")));
        pass(6_000);
        granted(reserve(ReservationBuilder.of("k")));
    }

    @Test
    void a11_retryIsDueWhenItWasPlannedAlthoughTheClockWasSet() {
        for (Duration by : List.of(YEAR.negated(), YEAR, YEAR)) {
            String key = "retry" + by + time.millis();
            put(key, State.FAILED_RETRYABLE, 10_000, HOUR);
            time.jump(by);
            pass(8_000);
            existing(reserve(ReservationBuilder.of(key)));
            pass(3_000);
            granted(reserve(ReservationBuilder.of(key)));
        }
    }

    @Test
    void a11_nodeThatStartsWhileTheClockIsAYearBehindContinuesFromTheMark() {
        put("before", State.COMPLETED, HOUR, 0);
        long reached = existing(reserve(ReservationBuilder.of("before"))).now();
        ManualTime wrong = new ManualTime(START - YEAR.toMillis());
        Optional<Store> second = contract.reopen(wrong);
        Assumptions.assumeTrue(second.isPresent(), "the store lives and dies with its handle");
        try (Store other = second.orElseThrow()) {
            Reserved.Existing seen = existing(reserveOn(other, ReservationBuilder.of("before")));
            assertThat(seen.now()).isGreaterThanOrEqualTo(reached);
            grantOn(other, ReservationBuilder.of("meanwhile").leasedFor(30_000));
            wrong.jump(YEAR);
            wrong.advance(Duration.ofSeconds(25));
            existing(reserveOn(other, ReservationBuilder.of("meanwhile")));
            wrong.advance(Duration.ofSeconds(6));
            granted(reserveOn(other, ReservationBuilder.of("meanwhile")));
        }
    }

    @Test
    void a11_nodesWhoseClocksDifferByAnHourShareOneTime() {
        put("before", State.COMPLETED, HOUR, 0);
        ManualTime late = new ManualTime(START - HOUR);
        Optional<Store> second = contract.reopen(late);
        Assumptions.assumeTrue(second.isPresent(), "the store lives and dies with its handle");
        try (Store other = second.orElseThrow()) {
            for (int round = 0; round < 5; round++) {
                pass(2_000);
                late.advance(Duration.ofMillis(2_000));
                String key = "k" + round;
                grant(ReservationBuilder.of(key).leasedFor(30_000));
                long first = existing(reserve(ReservationBuilder.of(key))).now();
                long then =
                        existing(reserveOn(other, ReservationBuilder.of(key))).now();
                assertThat(then - first).isBetween(-1_500L, 1_500L);
            }
        }
    }

    private static Reserved reserveOn(Store store, ReservationBuilder ask) {
        long version = store.switchboard().modes().version();
        return store.ledger().reserve(version, List.of(ask.reservation())).get(0);
    }

    private static void grantOn(Store store, ReservationBuilder ask) {
        granted(reserveOn(store, ask));
    }
}
