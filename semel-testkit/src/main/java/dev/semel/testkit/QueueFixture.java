package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.key.RecordId;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Claimed;
import dev.semel.store.Enqueued;
import dev.semel.store.Line;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;

/** The shared base of the suites about queued work. */
abstract class QueueFixture extends ContractSuite {
    /** More claims than any test needs, to end a loop that would never end. */
    private static final int ENDLESS = 1_000;

    Queue queue;

    @SuppressWarnings("NullAway.Init")
    QueueFixture(StoreContract contract) {
        super(contract);
    }

    @BeforeEach
    void needAQueue() {
        Assumptions.assumeTrue(store.queue().isPresent(), () -> store.name() + " keeps no work for later");
        queue = store.queue().orElseThrow();
    }

    Enqueued enqueue(ArrivalBuilder post) {
        List<Enqueued> answers = queue.enqueue(List.of(post.arrival()));
        assertThat(answers).hasSize(1);
        return answers.get(0);
    }

    /** Sends what was not there before, each in a commit of its own. */
    void send(ArrivalBuilder... posts) {
        for (ArrivalBuilder post : posts) {
            assertThat(enqueue(post)).isEqualTo(new Enqueued.Made());
        }
    }

    /** Sends messages of these keys to a lane, in this order. */
    void sendTo(String lane, String... keys) {
        for (String key : keys) {
            send(ArrivalBuilder.of(key).in(lane));
        }
    }

    static Row existing(Enqueued answer) {
        assertThat(answer).isInstanceOf(Enqueued.Existing.class);
        return ((Enqueued.Existing) answer).row();
    }

    Claimed claim(ClaimBuilder bid) {
        Claimed claimed = queue.claim(bid.claim(board.modes().version()));
        assertThat(claimed.modesChanged()).isFalse();
        return claimed;
    }

    /** Claims until something is granted, or until it is not worth to ask again. */
    List<Row> granted(ClaimBuilder bid) {
        for (int i = 0; i < ENDLESS; i++) {
            Claimed claimed = claim(bid);
            if (!claimed.rows().isEmpty() || !claimed.more()) {
                return claimed.rows();
            }
        }
        throw new AssertionError("There is always more, and never anything granted.");
    }

    Row grantedOne(ClaimBuilder bid) {
        List<Row> rows = granted(bid);
        assertThat(rows).hasSize(1);
        return rows.get(0);
    }

    /** Claims until there is nothing more, without ending anything. */
    List<Row> all(ClaimBuilder bid) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < ENDLESS; i++) {
            Claimed claimed = claim(bid);
            rows.addAll(claimed.rows());
            if (claimed.rows().isEmpty() && !claimed.more()) {
                return rows;
            }
        }
        throw new AssertionError("There is always more: " + keys(rows));
    }

    /** Claims and completes until there is nothing more; returns the keys in the order of their ends. */
    List<String> served(ClaimBuilder bid) {
        List<String> order = new ArrayList<>();
        for (int i = 0; i < ENDLESS; i++) {
            Claimed claimed = claim(bid);
            for (Row row : claimed.rows()) {
                complete(row);
                order.add(row.header().key());
            }
            if (claimed.rows().isEmpty() && !claimed.more()) {
                return order;
            }
        }
        throw new AssertionError("There is always more: " + order);
    }

    /** Nothing can be claimed, however often one asks. */
    void nothingIsGranted(ClaimBuilder bid) {
        assertThat(keys(granted(bid))).isEmpty();
        assertThat(keys(granted(bid))).isEmpty();
    }

    static MoveBuilder shift(Row row, State to) {
        return MoveBuilder.of(row.id(), row.status().fence(), to);
    }

    static Line line(Row row) {
        return Objects.requireNonNull(row.line(), "it has no place in the line");
    }

    Line line(String key) {
        return line(posted(key));
    }

    /** Its handler begins: the attempt is counted under its fence. */
    void begin(Row row, long lease) {
        apply(shift(row, State.IN_PROGRESS).in(lease).attempt(row.status().attempt() + 1));
    }

    void complete(Row row) {
        apply(shift(row, State.COMPLETED).in(1_000_000).leaving(line(row).lane()));
    }

    /** Failed and due again in so long, keeping its place. */
    void retry(Row row, long in) {
        apply(shift(row, State.FAILED_RETRYABLE)
                .in(in)
                .attempt(row.status().attempt() + 1)
                .failure(bytes("failure")));
    }

    /** Dead, and holding up its lane if it has one. */
    void die(Row row) {
        apply(shift(row, State.FAILED_TERMINAL).in(1_000_000).failure(bytes("failure")));
    }

    /** Dead, and out of its lane. */
    void dieAside(Row row) {
        apply(shift(row, State.FAILED_TERMINAL).in(1_000_000).leaving(line(row).lane()));
    }

    Row posted(String key) {
        return row(ArrivalBuilder.id(key));
    }

    boolean isThere(RecordId id) {
        return ledger.find(List.of(id)).get(id) != null;
    }

    static List<String> keys(Collection<Row> rows) {
        return rows.stream().map(row -> row.header().key()).toList();
    }

    static Stream<String> tenants(Collection<Row> rows) {
        return rows.stream().map(row -> row.header().tenant());
    }

    /** The events about a record, oldest first. */
    List<AuditRow> told(RecordId id) {
        List<AuditRow> events = new ArrayList<>();
        audit.newest(AuditFilter.of(id), 1_000).forEach(row -> events.add(0, row));
        return events;
    }

    List<Integer> toldTypes(RecordId id) {
        return told(id).stream().map(row -> row.entry().type()).toList();
    }
}
