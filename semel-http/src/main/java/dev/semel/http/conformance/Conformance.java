package dev.semel.http.conformance;

import dev.semel.SemelException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The suite: every promise about the {@code Idempotency-Key} that can be seen from outside, asked of a running service. It
 * makes real requests with real effects, some dozens, under keys that it has never used before.
 */
public final class Conformance {
    private final Target target;

    public Conformance(Target target) {
        this.target = target;
    }

    /**
     * @param progress is told the name of each row before it is asked
     * @throws SemelException.Invalid when the service does not answer an ordinary POST with a success, so that nothing can be
     *     told about the rest
     * @throws SemelException.StoreUnavailable when it does not answer at all
     */
    public Report run(Consumer<String> progress) {
        Probe probe = new Probe(target);
        Reply ordinary = probe.send(probe.post(probe.freshKey(), probe.freshBody()));
        if (!ordinary.isSuccess()) {
            throw new SemelException.Invalid(
                    "An ordinary POST to " + target.url() + " was answered " + ordinary.told()
                            + ": with a body that is refused nothing can be told. Give a body and headers that the service takes.");
        }
        List<Report.Finding> findings = new ArrayList<>();
        for (Row row : rows()) {
            progress.accept(row.name());
            Row.Outcome outcome = row.check().apply(probe);
            findings.add(new Report.Finding(row.name(), row.promise(), outcome.verdict(), outcome.why()));
        }
        return new Report(target.url(), findings);
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
