package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The large payloads of one channel on this node. A claim brings large payloads by their size only. They are read afterwards, as many as
 * the node's budget allows; the records of the others are handed back. A channel that holds no large payload may always read one, so that
 * slow deliveries of another channel do not stop it. Used by the thread that claims, but for {@link #remove}.
 */
final class LargePayloads {
    /** So many bytes are read at a time, or one payload. */
    private static final long PORTION = 4L << 20;

    private final PayloadBudget budget;
    private final AtomicLong held = new AtomicLong();

    /** Bytes of large payloads for each record of recent claims; 0 when there were none lately. */
    private long average;

    LargePayloads(PayloadBudget budget) {
        this.budget = budget;
    }

    private static long counted(Row row) {
        byte[] payload = row.payload();
        return payload == null || payload.length <= Claim.Amount.SMALL ? 0 : payload.length;
    }

    /** It is held from now on. */
    void add(Row row) {
        long bytes = counted(row);
        if (bytes > 0) {
            held.addAndGet(bytes);
            budget.add(bytes);
        }
    }

    /** It is no longer held. */
    void remove(Row row) {
        long bytes = counted(row);
        if (bytes > 0) {
            held.addAndGet(-bytes);
            budget.remove(bytes);
        }
    }

    /** Whether recent claims brought large payloads: then a larger window is of no use. */
    boolean areCommon() {
        return average > 0;
    }

    /** How many records to claim, of so many that there is other room for: fewer while recent claims brought large payloads. */
    int claimable(int room) {
        if (average == 0) {
            return room;
        }
        long fitting = Math.max(0, budget.left()) / average;
        return (int) Math.min(room, Math.max(fitting, held.get() == 0 ? 1 : 0));
    }

    /**
     * The rows with the payloads that were left out, in their order, until the budget is used up; the others as they are. The payload
     * with which it is used up is read whatever its size, so a large one is not overtaken by smaller ones that would still fit.
     */
    List<Row> read(List<Row> claimed, Ledger ledger) {
        long bytes = claimed.stream().mapToLong(Row::withheld).sum();
        if (!claimed.isEmpty()) {
            long now = bytes / claimed.size();
            average = now > 0 ? Math.max(now, Claim.Amount.SMALL) : average / 2 < Claim.Amount.SMALL ? 0 : average / 2;
        }
        if (bytes == 0) {
            return claimed;
        }
        Map<RecordId, byte[]> payloads = payloads(fitting(claimed), ledger);
        return claimed.stream()
                .map(row -> {
                    byte[] payload = payloads.get(row.id());
                    return payload == null ? row : row.withPayload(payload);
                })
                .toList();
    }

    private List<Row> fitting(List<Row> claimed) {
        List<Row> fitting = new ArrayList<>();
        long left = budget.left();
        boolean none = held.get() == 0;
        for (Row row : claimed) {
            if (row.withheld() > 0 && (left > 0 || none)) {
                fitting.add(row);
                left -= row.withheld();
                none = false;
            }
        }
        return fitting;
    }

    /** Without those whose record is gone. */
    private static Map<RecordId, byte[]> payloads(List<Row> rows, Ledger ledger) {
        Map<RecordId, byte[]> payloads = new HashMap<>();
        List<RecordId> portion = new ArrayList<>();
        long bytes = 0;
        for (Row row : rows) {
            if (!portion.isEmpty() && bytes + row.withheld() > PORTION) {
                read(portion, ledger, payloads);
                portion.clear();
                bytes = 0;
            }
            portion.add(row.id());
            bytes += row.withheld();
        }
        read(portion, ledger, payloads);
        return payloads;
    }

    private static void read(List<RecordId> portion, Ledger ledger, Map<RecordId, byte[]> payloads) {
        if (portion.isEmpty()) {
            return;
        }
        FoundRecords found = ledger.find(portion);
        for (RecordId id : portion) {
            Row row = found.get(id);
            byte[] payload = row == null ? null : row.payload();
            if (payload != null) {
                payloads.put(id, payload);
            }
        }
    }
}
