package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.engine.Engine;
import dev.semel.execution.ExternalRuns;
import dev.semel.execution.ExternalRuns.BeginTerms;
import dev.semel.execution.ExternalRuns.ExternalBegin.RunGranted;
import dev.semel.execution.ExternalRuns.ExternalEnd;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How much of payloads is read for callers outside this process. */
abstract class ExternalPayloadSuite extends ExternalClaimFixture {
    private static final int LARGE = 700 << 10;

    /** Bytes of payloads that each read of the store brought. */
    private final List<Long> reads = new ArrayList<>();

    ExternalPayloadSuite(EngineContract contract) {
        super(contract);
    }

    private void sendLarge(int count, int size) {
        for (int i = 0; i < count; i++) {
            engine.send(MAIL, Message.of(ACME, Key.of("m" + i), new Note("lane", "x".repeat(size))));
        }
    }

    private void count(Collection<Row> rows) {
        reads.add(rows.stream()
                .mapToLong(row -> row.payload() == null ? 0 : row.payload().length)
                .sum());
    }

    /** Another node, whose reads of payloads are counted. */
    private Engine counted() {
        return start(
                new ForwardingStore(reopened()) {
                    @Override
                    public Ledger ledger() {
                        return countedLedger(super.ledger());
                    }

                    @Override
                    public Optional<Queue> queue() {
                        return super.queue().map(ExternalPayloadSuite.this::countedQueue);
                    }
                },
                settings -> settings);
    }

    private Ledger countedLedger(Ledger ledger) {
        return new ForwardingLedger(ledger) {
            @Override
            public FoundRecords find(Collection<RecordId> ids) {
                FoundRecords found = super.find(ids);
                count(found.rows().values());
                return found;
            }

            @Override
            public FoundRecords find(Collection<RecordId> ids, int inline) {
                FoundRecords found = super.find(ids, inline);
                count(found.rows().values());
                return found;
            }
        };
    }

    private Queue countedQueue(Queue queue) {
        return new ForwardingQueue(queue) {
            @Override
            public Claimed claim(Claim claim) {
                Claimed claimed = super.claim(claim);
                count(claimed.rows());
                return claimed;
            }
        };
    }

    private long largestRead() {
        return reads.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    @Test
    void claimReadsNoMoreLargePayloadsThanItGrants() {
        sendLarge(20, LARGE);
        List<ExternalMessage<Note>> granted = counted().externalClaims().claim(MAIL, ACME, terms(100));
        assertThat(granted).hasSizeBetween(1, 4);
        assertThat(reads.stream().mapToLong(Long::longValue).sum()).isLessThan((granted.size() + 1L) * LARGE);
        assertThat(store.queue().orElseThrow().backlog(MAIL.name()).waiting())
                .as("the others were handed back")
                .isEqualTo(20 - granted.size());
    }

    @Test
    void messageIsGrantedWhateverItsSize() {
        sendLarge(3, 900 << 10);
        List<ExternalMessage<Note>> granted = claims.claim(MAIL, ACME, terms(100));
        assertThat(granted).hasSize(3);
        assertThat(granted).allSatisfy(message -> assertThat(message.attempt()).isEqualTo(1));
    }

    @Test
    void repeatedClaimIsGivenTheSameLargeMessages() {
        sendLarge(20, LARGE);
        send(MAIL, "small");
        List<ExternalMessage<Note>> first = claims.claim(MAIL, ACME, terms(100, "c-1"));
        reads.clear();
        List<ExternalMessage<Note>> again = counted().externalClaims().claim(MAIL, ACME, terms(100, "c-1"));
        assertThat(keys(again)).containsExactlyInAnyOrderElementsOf(keys(first));
        assertThat(largestRead()).isLessThan((first.size() + 1L) * LARGE);
    }

    @Test
    void renewalsAndEndsOfMessagesReadNoPayload() {
        sendLarge(3, LARGE);
        List<ExternalMessage<Note>> granted = claims.claim(MAIL, ACME, terms(3));
        List<RunHandle> runs = runs(granted);
        Engine node = counted();
        assertThat(node.externalClaims().renew(MAIL, runs, TEN_SECONDS)).doesNotContainNull();
        assertThat(node.externalClaims().finish(MAIL, runs.subList(0, 1))).containsExactly(RECORDED);
        Failure failure = Failure.of(Failure.Category.VALIDATION, "simulated");
        node.externalClaims().fail(MAIL, List.of(new MessageFailure(runs.get(1), failure, null)));
        assertThat(node.externalClaims().release(MAIL, runs.subList(2, 3))).containsExactly(HANDED_BACK);
        assertThat(row(MAIL, granted.get(1).key()).state()).isEqualTo(State.FAILED_TERMINAL);
        assertThat(reads).isNotEmpty().containsOnly(0L);
    }

    private RunHandle begun(String key) {
        return ((RunGranted<Receipt>) engine.externalRuns().begin(REFUND, call(key), new BeginTerms(TEN_SECONDS, null)))
                .run();
    }

    @Test
    void renewalsAndEndsOfRunsReadNoPayload() {
        ExternalRuns runs = counted().externalRuns();
        RunHandle done = begun("done");
        assertThat(runs.renew(REFUND, done, TEN_SECONDS)).isNotNull();
        assertThat(runs.finish(REFUND, done, new Receipt("r"))).isEqualTo(new ExternalEnd.EndRecorded<>());
        assertThat(runs.finish(REFUND, done, new Receipt("r"))).isEqualTo(new ExternalEnd.EndRecorded<>());
        runs.fail(REFUND, begun("failed"), Failure.of(Failure.Category.VALIDATION, "simulated"), null);
        assertThat(state(REFUND, "failed")).isEqualTo(State.FAILED_TERMINAL);
        assertThat(reads).isNotEmpty().containsOnly(0L);
    }
}
