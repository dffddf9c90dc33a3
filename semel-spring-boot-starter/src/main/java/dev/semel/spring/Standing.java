package dev.semel.spring;

import dev.semel.operator.Letters;
import dev.semel.operator.Operator;
import dev.semel.store.Inspection;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the Actuator tells of the ledger while its store answers. It is told without a verdict: a ledger that was halted on
 * purpose, or that has dead letters, is no reason to restart a process.
 */
final class Standing {
    /** Nobody needs to know more exactly than this at every look. */
    private static final int MOST_LETTERS = 1_000;

    private final Store store;
    private final Operator operator;

    Standing(Store store, Operator operator) {
        this.store = store;
        this.operator = operator;
    }

    /** @throws RuntimeException when the store does not answer */
    Map<String, Object> details() {
        Inspection inspection = store.inspect();
        Switchboard.Modes modes = operator.modes();
        int letters = operator.letters().list(Letters.Which.ALL, MOST_LETTERS).size();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("store", store.name());
        details.put("class", inspection.guarantee().name());
        details.put("mode", modes.ofAll("").name());
        details.put("pauses", modes.pauses().size());
        details.put("deadLetters", letters == MOST_LETTERS ? MOST_LETTERS + " or more" : letters);
        List<String> advice = inspection.findings().stream()
                .filter(finding -> finding.advice() != null)
                .map(finding -> finding.setting() + " is " + finding.value() + ": " + finding.advice())
                .toList();
        if (!advice.isEmpty()) {
            details.put("advice", advice);
        }
        return details;
    }
}
