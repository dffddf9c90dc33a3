package dev.semel.spring;

import dev.semel.operator.Letters;
import dev.semel.operator.Operator;
import dev.semel.store.Inspection;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the store answers. What else there is to know is told without a verdict: a ledger that was halted on purpose, or
 * that has dead letters, is no reason to restart a process.
 */
final class SemelHealth extends AbstractHealthIndicator {
    /** Nobody needs to know more exactly than this at every look. */
    private static final int MOST_LETTERS = 1_000;

    private final Store store;
    private final Operator operator;

    SemelHealth(Store store, Operator operator) {
        super("Semel's store does not answer");
        this.store = store;
        this.operator = operator;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        Inspection inspection = store.inspect();
        Switchboard.Modes modes = operator.modes();
        int letters = operator.letters().list(Letters.Which.ALL, MOST_LETTERS).size();
        health.up()
                .withDetail("store", store.name())
                .withDetail("class", inspection.guarantee().name())
                .withDetail("mode", modes.ofAll("").name())
                .withDetail("pauses", modes.pauses().size())
                .withDetail("deadLetters", letters == MOST_LETTERS ? MOST_LETTERS + " or more" : letters);
        List<String> advice = new ArrayList<>();
        for (Inspection.Finding finding : inspection.findings()) {
            if (finding.advice() != null) {
                advice.add(finding.setting() + " is " + finding.value() + ": " + finding.advice());
            }
        }
        if (!advice.isEmpty()) {
            health.withDetail("advice", advice);
        }
    }
}
