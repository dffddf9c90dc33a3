package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClaimedBufferTest {
    private final ClaimedBuffer<String, Void> buffer = new ClaimedBuffer<>(1);

    @Test
    void tenantsTakeTurns() {
        put("a", "a", "b");

        assertThat(tenants(buffer.take(3))).containsExactly("a", "b", "a");
    }

    @Test
    void assignmentOfManyGroupsCountsAsOneHandlerOfItsTenant() {
        put("a", "a", "a");

        ClaimedBuffer.Assignment<String, Void> assignment = buffer.take(2);

        assertThat(tenants(assignment)).containsExactly("a", "a");
        assertThat(buffer.size()).isEqualTo(1);
        assertThat(buffer.ready()).as("the tenant has its one handler").isZero();
        assertThat(buffer.take(1).groups()).isEmpty();
        buffer.ended(assignment);
        assertThat(buffer.ready()).isEqualTo(1);
        assertThat(tenants(buffer.take(1))).containsExactly("a");
    }

    @Test
    void tenantWithoutFreeHandlerDoesNotDelayOtherTenants() {
        put("a", "a", "b");
        ClaimedBuffer.Assignment<String, Void> first = buffer.take(1);

        assertThat(tenants(first)).containsExactly("a");
        assertThat(buffer.ready()).isEqualTo(1);
        assertThat(tenants(buffer.take(2))).containsExactly("b");
        assertThat(buffer.size()).isEqualTo(1);
        assertThat(buffer.ready()).isZero();
    }

    @Test
    void groupOfATenantWithoutFreeHandlerIsNotReady() {
        put("a");
        ClaimedBuffer.Assignment<String, Void> assignment = buffer.take(1);
        put("a", "a");

        assertThat(buffer.ready()).isZero();
        buffer.ended(assignment);
        assertThat(buffer.ready()).isEqualTo(2);
    }

    @Test
    void takeAllLeavesTheBufferEmpty() {
        put("a", "b", "a");
        buffer.take(1);

        assertThat(buffer.takeAll()).hasSize(2);
        assertThat(buffer.size()).isZero();
        assertThat(buffer.ready()).isZero();
    }

    @Test
    void waitingGroupsUseNoMoreHandlersThanTheirTenantMayHave() {
        put("a", "a", "a");
        assertThat(buffer.usableHandlers()).isEqualTo(1);
        buffer.take(1);
        assertThat(buffer.usableHandlers()).isEqualTo(1);
        put("b");
        assertThat(buffer.usableHandlers()).isEqualTo(2);
    }

    private void put(String... tenants) {
        for (String tenant : tenants) {
            buffer.put(new DeliveryGroup<>(tenant, List.of(), 0));
        }
    }

    private static List<String> tenants(ClaimedBuffer.Assignment<String, Void> assignment) {
        return assignment.groups().stream().map(DeliveryGroup::tenant).toList();
    }
}
