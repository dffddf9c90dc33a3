package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.execution.Failures;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordFilter.Cursor;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.SearchedRecords;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Searches for people: a bounded number of records is looked at, and no contents are read. */
abstract class SearchSuite extends QueueFixture {
    private static final RecordSearch ANY = RecordSearch.of(RecordFilter.ALL);

    SearchSuite(StoreContract contract) {
        super(contract);
    }

    private SearchedRecords search(RecordSearch search, int limit, int most) {
        return ledger.search(State.QUEUED, search, Cursor.START, limit, most);
    }

    private static RecordSearch lane(String lane) {
        return new RecordSearch(RecordFilter.ALL, lane, 0, Status.NEVER, null);
    }

    @Test
    void recordsComeNewestFirstPageByPageWithoutGapsAndRepetitions() {
        for (int i = 0; i < 7; i++) {
            put("k" + i, State.UNKNOWN, 1_000 + i / 2, 0);
        }
        List<Row> listed = ledger.list(State.UNKNOWN, RecordFilter.ALL, Cursor.START, 100);
        List<Row> found = new ArrayList<>();
        Cursor behind = Cursor.START;
        do {
            SearchedRecords page = ledger.search(State.UNKNOWN, ANY, behind, 2, 100);
            assertThat(page.rows()).hasSizeLessThanOrEqualTo(2);
            found.addAll(page.rows());
            behind = page.end();
        } while (behind != null);
        assertThat(keys(found)).isEqualTo(keys(listed)).hasSize(7);
        assertThat(found)
                .extracting(Row::header)
                .isEqualTo(listed.stream().map(Row::header).toList());
        assertThat(found)
                .extracting(Row::status)
                .isEqualTo(listed.stream().map(Row::status).toList());
        assertThat(found)
                .extracting(Row::line)
                .isEqualTo(listed.stream().map(Row::line).toList());
    }

    @Test
    void payloadsAndResultsAreLeftOutAndTheSizeOfAPayloadIsTold() {
        send(ArrivalBuilder.of("mail").in("lane"));
        Row whole = posted("mail");
        assertThat(whole.payload()).isNotEmpty();
        Row found = search(ANY, 10, 10).rows().get(0);
        assertThat(found.payload()).isNull();
        assertThat(found.result()).isNull();
        assertThat(found.withheld()).isEqualTo(whole.payload().length);
    }

    @Test
    void fewMatchesAreSoughtAmongABoundedNumberOfRecordsAndTheSearchContinuesThere() {
        sendTo("rare", "first");
        for (int i = 0; i < 9; i++) {
            time.advance(Duration.ofMillis(1));
            sendTo("often", "k" + i);
        }
        SearchedRecords page = search(lane("rare"), 5, 4);
        assertThat(page.rows()).isEmpty();
        assertThat(page.looked()).isEqualTo(4);
        int searches = 1;
        while (page.end() != null) {
            page = ledger.search(State.QUEUED, lane("rare"), page.end(), 5, 4);
            searches++;
        }
        assertThat(keys(page.rows())).containsExactly("first");
        assertThat(page.looked()).isEqualTo(2);
        assertThat(searches).isEqualTo(3);
    }

    @Test
    void searchEndsWithTheLastRecordAndSaysSo() {
        sendTo("lane", "a", "b");
        assertThat(search(ANY, 2, 10).end()).isNull();
        assertThat(search(ANY, 10, 2).end()).isNull();
        assertThat(search(ANY, 1, 10).end()).isNotNull();
        assertThat(search(ANY, 10, 1).end()).isNotNull();
        assertThat(ledger.search(State.SHADOWED, ANY, Cursor.START, 1, 1))
                .isEqualTo(new SearchedRecords(List.of(), 0, null));
    }

    @Test
    void h4_recordsOfOtherTenantsAreNotFound() {
        sendTo("lane", "mine");
        RecordFilter others = new RecordFilter("globex", null, false, Long.MAX_VALUE);
        assertThat(search(RecordSearch.of(others), 10, 10).rows()).isEmpty();
        RecordFilter own = new RecordFilter(ReservationBuilder.TENANT, ArrivalBuilder.CHANNEL, true, Long.MAX_VALUE);
        assertThat(keys(search(RecordSearch.of(own), 10, 10).rows())).containsExactly("mine");
        RecordFilter operation = new RecordFilter(ReservationBuilder.TENANT, "other", false, Long.MAX_VALUE);
        assertThat(search(RecordSearch.of(operation), 10, 10).rows()).isEmpty();
    }

    @Test
    void searchIsByLaneAttemptsTimeAndFailure() {
        Failure lost = Failure.of(Failure.Category.NETWORK, "\"category\":\"auth\"");
        sendTo("lane", "a", "b");
        Row head = grantedOne(ClaimBuilder.of(1));
        apply(shift(head, State.FAILED_RETRYABLE).in(5_000).attempt(3).failure(Failures.encode(lost)));
        assertThat(failed(lane("lane"))).isEqualTo(1);
        assertThat(failed(lane("other"))).isZero();
        assertThat(failed(new RecordSearch(RecordFilter.ALL, null, 3, Status.NEVER, null)))
                .isEqualTo(1);
        assertThat(failed(new RecordSearch(RecordFilter.ALL, null, 4, Status.NEVER, null)))
                .isZero();
        assertThat(failed(new RecordSearch(RecordFilter.ALL, null, 0, START + 5_000, null)))
                .isEqualTo(1);
        assertThat(failed(new RecordSearch(RecordFilter.ALL, null, 0, START + 4_999, null)))
                .isZero();
        assertThat(failed(ANY.withFailurePart(RecordSearch.inFailure(Failure.Category.NETWORK, null))))
                .isEqualTo(1);
        assertThat(failed(ANY.withFailurePart(RecordSearch.inFailure(Failure.Category.AUTH, null))))
                .isZero();
    }

    private int failed(RecordSearch search) {
        return ledger.search(State.FAILED_RETRYABLE, search, Cursor.START, 10, 10)
                .rows()
                .size();
    }

    @Test
    void stepsAreLeftOut() {
        long fence = grant("parent").fence();
        grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), fence));
        SearchedRecords found = ledger.search(State.IN_PROGRESS, ANY, Cursor.START, 10, 10);
        assertThat(keys(found.rows())).containsExactly("parent");
    }
}
