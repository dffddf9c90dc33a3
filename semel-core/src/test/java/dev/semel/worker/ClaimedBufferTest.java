package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimedBufferTest {
    private final ClaimedBuffer<String, Void> shelf = new ClaimedBuffer<>(1);

    @Test
    void tenantsTakeTurns() {
        put("a", "a", "b");

        assertThat(tenants(shelf.take(3))).containsExactly("a", "b", "a");
    }

    @Test
    void aHandIsOneHandlerOfItsTenantHoweverMuchIsInIt() {
        put("a", "a", "a");

        ClaimedBuffer.Hand<String, Void> hand = shelf.take(2);

        assertThat(tenants(hand)).containsExactly("a", "a");
        assertThat(shelf.size()).isEqualTo(1);
        assertThat(shelf.ready()).as("the tenant has its one handler").isZero();
        assertThat(shelf.take(1).units()).isEmpty();
        shelf.ended(hand);
        assertThat(shelf.ready()).isEqualTo(1);
        assertThat(tenants(shelf.take(1))).containsExactly("a");
    }

    @Test
    void whatMayNotBeginDoesNotKeepOthersWaiting() {
        put("a", "a", "b");
        ClaimedBuffer.Hand<String, Void> first = shelf.take(1);

        assertThat(tenants(first)).containsExactly("a");
        assertThat(shelf.ready()).isEqualTo(1);
        assertThat(tenants(shelf.take(2))).containsExactly("b");
        assertThat(shelf.size()).isEqualTo(1);
        assertThat(shelf.ready()).isZero();
    }

    @Test
    void whatArrivesWhileItsTenantIsBusyIsNotReady() {
        put("a");
        ClaimedBuffer.Hand<String, Void> hand = shelf.take(1);
        put("a", "a");

        assertThat(shelf.ready()).isZero();
        shelf.ended(hand);
        assertThat(shelf.ready()).isEqualTo(2);
    }

    @Test
    void everythingIsTakenBackAtOnce() {
        put("a", "b", "a");
        shelf.take(1);

        assertThat(shelf.takeAll()).hasSize(2);
        assertThat(shelf.size()).isZero();
        assertThat(shelf.ready()).isZero();
    }

    private void put(String... tenants) {
        for (String tenant : tenants) {
            shelf.put(new ClaimedUnit<>(tenant, List.of(), 0));
        }
    }

    private static List<String> tenants(ClaimedBuffer.Hand<String, Void> hand) {
        return hand.units().stream().map(ClaimedUnit::tenant).toList();
    }
}
