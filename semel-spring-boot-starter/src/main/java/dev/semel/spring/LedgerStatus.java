package dev.semel.spring;

import dev.semel.operator.Operator;
import dev.semel.store.Inspection;
import dev.semel.store.LedgerState;
import dev.semel.store.StateCount;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The health details of the ledger while its store is available. They never make the health DOWN: a halted ledger, or one with dead
 * letters, is no reason to restart a process.
 */
final class LedgerStatus {
    private final Store store;
    private final Operator operator;

    LedgerStatus(Store store, Operator operator) {
        this.store = store;
        this.operator = operator;
    }

    /** @throws RuntimeException when the store is unavailable */
    Map<String, Object> details() {
        Inspection inspection = store.inspect();
        Switchboard.Modes modes = operator.modes();
        LedgerState ledger = LedgerState.of(store);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", store.name());
        details.put("class", inspection.guarantee().name());
        details.put("mode", modes.ofAll("").name());
        details.put("pauses", modes.pauses().size());
        details.put("deadLetters", counted(ledger.deadLetters()));
        details.put("unknown", counted(ledger.unknown()));
        details.put(
                "oldestUnknown", Duration.ofMillis(ledger.unknown().ageMillis()).toString());
        details.put(
                "oldestExpiredLease",
                Duration.ofMillis(ledger.running().ageMillis()).toString());
        List<String> advice = inspection.findings().stream()
                .filter(finding -> finding.advice() != null)
                .map(finding -> finding.setting() + " is " + finding.value() + ": " + finding.advice())
                .toList();
        if (!advice.isEmpty()) {
            details.put("advice", advice);
        }
        return details;
    }

    private static Object counted(StateCount tally) {
        return tally.count() == LedgerState.MOST ? LedgerState.MOST + " or more" : tally.count();
    }
}
