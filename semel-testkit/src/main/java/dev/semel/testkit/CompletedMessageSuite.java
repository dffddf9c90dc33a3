package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Tenant;
import dev.semel.key.RecordId;
import dev.semel.store.CompletedMessage;
import dev.semel.store.RecordFilter;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lists of messages that were handled. */
abstract class CompletedMessageSuite extends QueueFixture {
    CompletedMessageSuite(StoreContract contract) {
        super(contract);
    }

    private static RecordFilter filter(String tenant, long fence) {
        return new RecordFilter(tenant, ArrivalBuilder.CHANNEL, true, fence);
    }

    /** All of them, so many at a time. */
    private List<RecordId> walk(RecordFilter filter, int limit) {
        List<RecordId> ids = new ArrayList<>();
        long behind = Long.MIN_VALUE;
        while (true) {
            List<CompletedMessage> page = ledger.completedMessages(filter, behind, limit);
            page.forEach(message -> ids.add(message.id()));
            if (page.size() < limit) {
                return ids;
            }
            behind = page.get(limit - 1).place();
        }
    }

    private List<RecordId> ids(String... keys) {
        List<RecordId> ids = new ArrayList<>();
        for (String key : keys) {
            ids.add(posted(key).id());
        }
        return ids;
    }

    @Test
    void completedMessagesComeInTheOrderOfTheirLanesHoweverManyAreAskedFor() {
        sendTo("a", "a1", "a2", "a3", "a4", "a5");
        sendTo("b", "b1", "b2", "b3");
        List<String> order = served(ClaimBuilder.of(100));
        assertThat(order).hasSize(8);
        for (int limit : List.of(1, 3, 8, 100)) {
            List<RecordId> walked = walk(RecordFilter.ALL, limit);
            assertThat(walked).hasSize(8).doesNotHaveDuplicates();
            assertThat(walked).containsSubsequence(ids("a1", "a2", "a3", "a4", "a5"));
            assertThat(walked).containsSubsequence(ids("b1", "b2", "b3"));
        }
    }

    @Test
    void onlyCompletedMessagesOfTheFilterAreListedWithTheSizeOfTheirPayload() {
        send(ArrivalBuilder.of("done"));
        Row first = grantedOne(ClaimBuilder.of(1));
        complete(first);
        send(ArrivalBuilder.of("later"));
        Row second = grantedOne(ClaimBuilder.of(1));
        complete(second);
        send(ArrivalBuilder.of("waits"));
        put("a call", State.COMPLETED, 1_000_000, 0);
        assertThat(walk(filter(null, Long.MAX_VALUE), 10)).containsExactly(first.id(), second.id());
        assertThat(walk(filter(null, first.status().fence()), 10)).containsExactly(first.id());
        assertThat(walk(filter(first.header().tenant(), Long.MAX_VALUE), 10)).hasSize(2);
        assertThat(walk(filter(Tenant.of("nobody").name(), Long.MAX_VALUE), 10)).isEmpty();
        assertThat(ledger.completedMessages(filter(null, Long.MAX_VALUE), Long.MIN_VALUE, 1))
                .singleElement()
                .satisfies(message -> {
                    byte[] payload = posted("done").payload();
                    assertThat(message.size()).isEqualTo(payload == null ? 0 : payload.length);
                    assertThat(message.fence()).isEqualTo(first.status().fence());
                    assertThat(message.place()).isEqualTo(line("done").place());
                });
    }
}
