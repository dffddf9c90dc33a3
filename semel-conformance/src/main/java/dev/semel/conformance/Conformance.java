package dev.semel.conformance;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The conformance suite. It checks every promise about the {@code Idempotency-Key} that is visible from outside, against a
 * running service. It sends some dozens of real requests with real effects, under keys that it has never used before.
 */
public final class Conformance {
    private final Target target;

    /** @param target the service and what is known of it */
    public Conformance(Target target) {
        this.target = target;
    }

    /**
     * @param progress receives the name of each row before the row is checked
     * @throws SemelException.Invalid when the service rejects an ordinary POST, so that no row can be checked
     * @throws SemelException.StoreUnavailable when the service does not respond
     */
    public ConformanceReport run(Consumer<String> progress) {
        Probe probe = new Probe(target);
        ProbeResponse ordinary = probe.send(probe.post(probe.freshKey(), probe.freshBody()));
        if (!ordinary.isSuccess()) {
            throw new SemelException.Invalid("The first POST to " + target.url() + " failed: the service responded "
                    + ordinary.told() + ". Pass a body and headers that the service accepts.");
        }
        List<ConformanceReport.Finding> findings = new ArrayList<>();
        for (Row row : rows()) {
            progress.accept(row.name());
            Row.Outcome outcome = row.check().apply(probe);
            findings.add(new ConformanceReport.Finding(row.name(), row.promise(), outcome.verdict(), outcome.why()));
        }
        return new ConformanceReport(target.url(), findings);
    }

    /** How many rows there are. */
    public static int size() {
        return rows().size();
    }

    private static List<Row> rows() {
        return Stream.of(KeyRows.all(), ReplayRows.all(), PayloadRows.all(), CallerRows.all(), TransportRows.all())
                .flatMap(List::stream)
                .toList();
    }
}
