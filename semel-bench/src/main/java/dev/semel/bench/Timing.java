package dev.semel.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The timing of the rounds of one cell. */
final class Timing {
    private final Cell cell;
    private final Histogram latencies = latencies();
    private final List<Double> rates = new ArrayList<>();
    private ProcessorTime used = ProcessorTime.NONE;
    private long operations;
    private long nanos;

    Timing(Cell cell) {
        this.cell = cell;
    }

    static Histogram latencies() {
        return new Histogram(TimeUnit.MINUTES.toNanos(5), 2);
    }

    void add(long roundOperations, long roundNanos, List<Histogram> roundLatencies) {
        operations += roundOperations;
        nanos += roundNanos;
        rates.add(roundOperations / (double) Math.max(1, roundNanos));
        roundLatencies.forEach(latencies::add);
    }

    void used(ProcessorTime inRound) {
        used = used.plus(inRound);
    }

    ProcessorTime used() {
        return used;
    }

    Cell cell() {
        return cell;
    }

    long operations() {
        return operations;
    }

    double perSecond() {
        return operations * 1e9 / Math.max(1, nanos);
    }

    Report.Speed speed() {
        return new Report.Speed(Report.rounded(perSecond(), 0), micros(50), micros(99));
    }

    double micros(double percentile) {
        return Report.rounded(latencies.getValueAtPercentile(percentile) / 1e3, 1);
    }

    /** The median of the ratios of rounds that were neighbours in time. */
    double ratioTo(Timing other) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(rates.size(), other.rates.size()); i++) {
            ratios.add(rates.get(i) / other.rates.get(i));
        }
        return Report.rounded(median(ratios), 3);
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        if (sorted.isEmpty()) {
            return 0;
        }
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
