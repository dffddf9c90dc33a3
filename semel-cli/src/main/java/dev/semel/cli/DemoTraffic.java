package dev.semel.cli;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/**
 * The customers and the bank: requested payments, their answers, and the transfers. Every payment is requested several times
 * concurrently. A caller without a result retries, also after a crash of its process. Thread-safe.
 */
final class DemoTraffic {
    private static final int COPIES = 3;
    private static final int RECENT = 10_000;
    private static final double LATECOMERS = 0.1;
    private static final long PAUSE = Duration.ofMillis(100).toNanos();

    private record DelayedRetry(int number, long notBefore) {}

    /** @param unanswered requested payments without a result */
    record Tally(long asked, Map<DemoAnswer, Long> answers, long retried, int unanswered) {
        long of(DemoAnswer answer) {
            return answers.getOrDefault(answer, 0L);
        }
    }

    /**
     * @param takenOver transfers of a run that took over the work of a killed one
     * @param redelivered transfers that the bank recognised by their key and did not make again
     */
    record Transfers(Map<Integer, Integer> made, long takenOver, long redelivered) {}

    private final TimeSource time;
    private final RandomGenerator random;
    private final ArrayDeque<DelayedRetry> again = new ArrayDeque<>();
    private final BitSet asked = new BitSet();
    private final BitSet acknowledged = new BitSet();
    private final Map<DemoAnswer, Long> answers = new EnumMap<>(DemoAnswer.class);
    private final Map<String, Integer> transfers = new HashMap<>();
    private int current;
    private int copiesLeft;
    private int underway;
    private long calls;
    private long retried;
    private long takenOver;
    private long redelivered;
    private boolean closing;

    DemoTraffic(TimeSource time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    /** The next payment to request; none while all callers wait or at the end. */
    synchronized OptionalInt next() {
        DelayedRetry first = again.peek();
        int number;
        if (first != null && (first.notBefore <= time.nanos())) {
            again.remove();
            number = first.number;
            retried++;
        } else if (closing) {
            return OptionalInt.empty();
        } else {
            number = fresh();
        }
        asked.set(number);
        calls++;
        underway++;
        return OptionalInt.of(number);
    }

    private int fresh() {
        if (copiesLeft > 0) {
            copiesLeft--;
        } else if (current > COPIES && random.nextDouble() < LATECOMERS) {
            return current - random.nextInt(Math.min(current, RECENT));
        } else {
            current++;
            copiesLeft = COPIES - 1;
        }
        return current;
    }

    synchronized void answered(int number, DemoAnswer answer) {
        underway--;
        answers.merge(answer, 1L, Long::sum);
        if (answer.acknowledges()) {
            acknowledged.set(number);
        } else {
            again.add(new DelayedRetry(number, time.nanos() + PAUSE));
        }
    }

    /** The process of these callers has ended. */
    synchronized void cutOff(Collection<Integer> numbers) {
        underway -= numbers.size();
        numbers.forEach(number -> again.add(new DelayedRetry(number, time.nanos())));
    }

    /** The bank: makes a transfer once for each key. */
    synchronized void transfer(String key, int number, int attempt) {
        takenOver += attempt > 1 ? 1 : 0;
        redelivered += transfers.putIfAbsent(key, number) == null ? 0 : 1;
    }

    /** Stops new payments; requested ones are still answered. */
    synchronized void close() {
        closing = true;
        copiesLeft = 0;
    }

    synchronized boolean settled() {
        return closing && underway == 0 && again.isEmpty();
    }

    synchronized Tally tally() {
        return new Tally(calls, Map.copyOf(answers), retried, asked.cardinality() - acknowledged.cardinality());
    }

    /** The confirmed payments. */
    synchronized BitSet acknowledged() {
        return (BitSet) acknowledged.clone();
    }

    synchronized Transfers transfers() {
        Map<Integer, Integer> made = new HashMap<>();
        transfers.values().forEach(number -> made.merge(number, 1, Integer::sum));
        return new Transfers(made, takenOver, redelivered);
    }
}
