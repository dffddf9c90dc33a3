package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.store.Claimed;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Claims for one tenant: what others have waiting is neither granted nor in the way. */
abstract class TenantClaimSuite extends QueueFixture {
    private static final Tenant OWN = Tenant.of("own");

    TenantClaimSuite(StoreContract contract) {
        super(contract);
    }

    private void sendForAll(String key) {
        for (String tenant : List.of("before", "own", "zeta")) {
            send(
                    ArrivalBuilder.of(key).of(Tenant.of(tenant)),
                    ArrivalBuilder.of(key + " in lane").of(Tenant.of(tenant)).in("lane"));
        }
    }

    private static ClaimBuilder own(int records) {
        return ClaimBuilder.of(records).only(OWN.name());
    }

    @Test
    void onlyRecordsOfTheTenantAreGranted() {
        sendForAll("a");
        sendForAll("b");
        List<Row> rows = all(own(10));
        assertThat(tenants(rows)).containsOnly(OWN.name());
        assertThat(keys(rows)).containsExactlyInAnyOrder("a", "b", "a in lane", "b in lane");
        nothingIsGranted(own(10));
        assertThat(tenants(all(ClaimBuilder.of(10)))).hasSize(8).doesNotContain(OWN.name());
    }

    @Test
    void tenantWithNothingDueIsGrantedNothing() {
        sendForAll("a");
        send(ArrivalBuilder.of("later").of(OWN).after(5_000));
        all(own(10));
        Claimed claimed = claim(own(10));
        assertThat(claimed.rows()).isEmpty();
        assertThat(claimed.more()).isFalse();
        nothingIsGranted(ClaimBuilder.of(10).only("unknown"));
        pass(5_000);
        assertThat(keys(all(own(10)))).containsExactly("later");
    }

    @Test
    void d8_othersThatFloodTakeNothingOfTheAmount() {
        for (int i = 0; i < 40; i++) {
            send(ArrivalBuilder.of("f" + i).of(Tenant.of("flood")));
        }
        for (int i = 0; i < 5; i++) {
            send(ArrivalBuilder.of("o" + i).of(OWN));
        }
        assertThat(granted(own(5))).hasSize(5);
    }

    @Test
    void laneOfTheTenantIsGrantedInRunsAndInItsOrder() {
        for (String key : List.of("x1", "x2", "x3")) {
            send(ArrivalBuilder.of(key).of(OWN).in("x"));
            send(ArrivalBuilder.of(key).of(Tenant.of("other")).in("x"));
        }
        List<Row> first = granted(own(10).runsOf(2));
        assertThat(keys(first)).containsExactly("x1", "x2");
        nothingIsGranted(own(10));
        first.forEach(this::complete);
        assertThat(keys(granted(own(10)))).containsExactly("x3");
        assertThat(tenants(all(ClaimBuilder.of(10)))).containsOnly("other").hasSize(3);
    }

    @Test
    void retriesOfTheTenantAreGrantedWhenTheyAreDue() {
        sendForAll("a");
        all(ClaimBuilder.of(20)).forEach(row -> retry(row, 1_000));
        nothingIsGranted(own(10));
        pass(1_000);
        assertThat(tenants(all(own(10)))).hasSize(2).containsOnly(OWN.name());
    }

    @Test
    void retriesBeyondTheBudgetAreLeft() {
        send(
                ArrivalBuilder.of("a").of(OWN),
                ArrivalBuilder.of("b").of(OWN),
                ArrivalBuilder.of("c").of(OWN));
        all(own(10)).forEach(row -> retry(row, 0));
        assertThat(all(own(10).retries(2))).hasSize(2);
        pass(1_000);
        assertThat(all(own(10).retries(2))).hasSize(1);
    }

    @Test
    void d12_onlyExpiredLeasesOfTheTenantAreTakenOver() {
        sendForAll("a");
        assertThat(all(ClaimBuilder.of(20).leasedFor(1_000))).hasSize(6);
        nothingIsGranted(own(10));
        pass(1_000);
        List<Row> rows = all(own(10));
        assertThat(tenants(rows)).containsOnly(OWN.name());
        assertThat(keys(rows)).containsExactlyInAnyOrder("a", "a in lane");
        assertThat(tenants(all(ClaimBuilder.of(20)))).hasSize(4).doesNotContain(OWN.name());
    }

    @Test
    void d12_expiredLeaseOfTheTenantIsTakenOverAlthoughMoreIsDueThanIsAskedFor() {
        send(ArrivalBuilder.of("first").of(OWN));
        grantedOne(own(1).leasedFor(1_000));
        pass(1_000);
        int[] sent = {0};
        // A store may look for expired leases only from time to time.
        Await.until("the expired lease is taken over", () -> {
            for (int i = 0; i < 3; i++) {
                send(ArrivalBuilder.of("o" + sent[0]++).of(OWN));
            }
            return keys(claim(own(1)).rows()).contains("first");
        });
    }

    @Test
    void grantsOfOneTenantAndOfAllDoNotOverlap() {
        for (int i = 0; i < 20; i++) {
            send(ArrivalBuilder.of("o" + i).of(OWN), ArrivalBuilder.of("x" + i).of(Tenant.of("other")));
        }
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            rows.addAll(claim(own(3)).rows());
            rows.addAll(claim(ClaimBuilder.of(3)).rows());
        }
        rows.addAll(all(ClaimBuilder.of(10)));
        assertThat(rows).hasSize(40);
        assertThat(rows.stream().map(Row::id).distinct()).hasSize(40);
    }
}
