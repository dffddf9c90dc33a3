package dev.semel.jdbc.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.SemelException;
import dev.semel.jdbc.shared.Sample;
import dev.semel.store.AuditFilter;
import dev.semel.store.LookupResult;
import dev.semel.store.RecordWrite;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.Transactions.Ended;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The statement of a record write depends on the lookup under its lock. */
class PostgresRecordWriteTest {
    private final FreshSchema schema = FreshSchema.make();
    private @Nullable Store store;

    @AfterEach
    void close() {
        if (store != null) {
            store.close();
        }
    }

    @Test
    void fasterWriterWithoutTheLockWinsAndNothingIsCommitted() throws Exception {
        overtaken(List.of(new Sample("k")));
    }

    @Test
    void oneThatWasOvertakenTakesItsBatchWithIt() throws Exception {
        overtaken(List.of(new Sample("k"), new Sample("l"), new Sample("m")));
    }

    private void overtaken(List<Sample> samples) throws Exception {
        Store opened = open(null);
        long version = opened.switchboard().modes().version();
        assertThatThrownBy(() -> opened.transactions().orElseThrow().run(tx -> {
                    tx.lookUp(version, samples.stream().map(Sample::identity).toList());
                    opened.ledger().reserve(version, List.of(samples.get(0).reservation()));
                    tx.write(samples.stream().map(Sample::write).toList());
                    return Ended.keep("done");
                }))
                .isInstanceOf(SemelException.LeaseLost.class)
                .hasMessageContaining("nothing was committed");
        assertThat(state(opened, samples.get(0))).isEqualTo(State.IN_PROGRESS);
        assertThat(opened.ledger()
                        .find(samples.stream().map(Sample::id).toList())
                        .rows())
                .hasSize(1);
        assertThat(opened.audit().newest(AuditFilter.ALL, 10)).isEmpty();
    }

    @Test
    void batchWritesAbsentAndExpiredRecords() throws Exception {
        ManualTime time = new ManualTime(1_700_000_000_000L);
        Store opened = open(time);
        Sample old = new Sample("old");
        write(opened, List.of(old), List.of(old.write()));
        time.advance(Duration.ofDays(2));
        List<Sample> samples = Stream.of("new", "old", "other").map(Sample::new).toList();
        assertThat(write(opened, samples, samples.stream().map(s -> s.write()).toList()))
                .containsOnly(new LookupResult.Free());
        samples.forEach(sample -> assertThat(state(opened, sample)).isEqualTo(State.COMPLETED));
    }

    @Test
    void writeThatWaitsForTheCommitIsVisibleToEarlierReads() throws Exception {
        Store opened = open(null);
        Sample sample = new Sample("k");
        long version = opened.switchboard().modes().version();
        opened.transactions().orElseThrow().run(tx -> {
            tx.lookUp(version, List.of(sample.identity()));
            tx.write(List.of(sample.write()));
            assertThat(tx.lookUp(version, List.of(sample.identity())))
                    .singleElement()
                    .isInstanceOf(LookupResult.Found.class);
            return Ended.keep("done");
        });
        assertThat(state(opened, sample)).isEqualTo(State.COMPLETED);
        assertThat(opened.audit().newest(AuditFilter.ALL, 10)).hasSize(1);
    }

    @Test
    void batchOfDifferentRecordsIsWrittenEachWithItsOwnEvent() throws Exception {
        Store opened = open(null);
        List<Sample> samples = Stream.of("a", "b", "c").map(Sample::new).toList();
        write(
                opened,
                samples,
                List.of(
                        samples.get(0).write(),
                        samples.get(1).write(null),
                        samples.get(2).write()));
        samples.forEach(sample -> assertThat(state(opened, sample)).isEqualTo(State.COMPLETED));
        assertThat(opened.audit().newest(AuditFilter.ALL, 10))
                .extracting(row -> row.entry().subject().record())
                .containsExactlyInAnyOrder(samples.get(0).id(), samples.get(2).id());
    }

    @Test
    void partThatWasUndoneCanBeDoneAgain() throws Exception {
        Store opened = open(null);
        Sample sample = new Sample("k");
        long version = opened.switchboard().modes().version();
        opened.transactions().orElseThrow().run(tx -> {
            tx.lookUp(version, List.of(sample.identity()));
            tx.part(() -> {
                tx.write(List.of(sample.write(null)));
                return Ended.undo("undone");
            });
            tx.write(List.of(sample.write()));
            return Ended.keep("done");
        });
        assertThat(state(opened, sample)).isEqualTo(State.COMPLETED);
    }

    private static List<LookupResult> write(Store store, List<Sample> samples, List<RecordWrite> writes)
            throws Exception {
        long version = store.switchboard().modes().version();
        return store.transactions().orElseThrow().run(tx -> {
            List<LookupResult> lookups =
                    tx.lookUp(version, samples.stream().map(Sample::identity).toList());
            tx.write(writes);
            return Ended.keep(lookups);
        });
    }

    private Store open(@Nullable TimeSource time) {
        Store opened = schema.open(time);
        store = opened;
        return opened;
    }

    private static State state(Store store, Sample sample) {
        return store.ledger()
                .find(List.of(sample.id()))
                .get(sample.id())
                .status()
                .state();
    }
}
