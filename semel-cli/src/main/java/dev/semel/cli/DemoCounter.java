package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.cli.DemoScore.Effects;
import dev.semel.key.RecordId;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts the real effects: the rows of the payment table, the transfers of the bank, and the records of the ledger, not the reports
 * of the processes.
 *
 * @param ledgerToo whether each payment must have a record
 */
record DemoCounter(Store store, DemoTable table, boolean ledgerToo) {
    private static final int CHUNK = 500;

    /**
     * Counts only the payments, which is cheap enough for a running demo.
     *
     * @return the last count, if the processes of the demo hold the lock that counting needs
     */
    Effects soFar(DemoTraffic traffic, Effects last) {
        try {
            return judge(traffic, new BitSet());
        } catch (SemelException.Locked e) {
            return last;
        }
    }

    Effects atTheEnd(DemoTraffic traffic) {
        return judge(traffic, ledgerToo ? missingInLedger(traffic.acknowledged()) : new BitSet());
    }

    private Effects judge(DemoTraffic traffic, BitSet missing) {
        BitSet lost = traffic.acknowledged(); // before the payments are read: what is acknowledged is there already
        Map<Integer, Integer> made = new HashMap<>(table.counts(store));
        traffic.transfers().made().forEach((number, times) -> made.merge(number, times, Integer::sum));
        made.keySet().forEach(lost::clear);
        lost.or(missing);
        long doubled = made.values().stream().mapToLong(times -> times - 1).sum();
        return new Effects(made.size(), doubled, lost.cardinality());
    }

    private BitSet missingInLedger(BitSet acknowledged) {
        BitSet missing = new BitSet();
        Map<RecordId, Integer> chunk = new LinkedHashMap<>();
        for (int number = acknowledged.nextSetBit(0); number >= 0; number = acknowledged.nextSetBit(number + 1)) {
            chunk.put(DemoSemelShop.record(table, number), number);
            if (chunk.size() == CHUNK) {
                look(chunk, missing);
                chunk.clear();
            }
        }
        look(chunk, missing);
        return missing;
    }

    private void look(Map<RecordId, Integer> chunk, BitSet missing) {
        Map<RecordId, Row> found = store.ledger().find(chunk.keySet()).rows();
        chunk.forEach((id, number) -> {
            Row row = found.get(id);
            if (row == null || row.state() != State.COMPLETED) {
                missing.set(number);
            }
        });
    }
}
