package dev.semel.testkit.sim;

import dev.semel.store.Permits;
import dev.semel.testkit.fault.ForwardingPermits;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The permits that the store gave for calls: no more than their limit allows in any time, and no call was admitted without one. */
final class PermitJournal {
    private final TimeSource time;
    private final FaultRates weather;
    private final List<String> wrongs = new ArrayList<>();
    private final Map<String, List<Given>> given = new HashMap<>();
    private final Map<String, Integer> admitted = new HashMap<>();

    PermitJournal(TimeSource time, FaultRates weather) {
        this.time = time;
        this.weather = weather;
    }

    List<String> wrongs() {
        return wrongs;
    }

    private record Given(long nanos, int permits) {}

    Permits watching(Permits permits) {
        return new ForwardingPermits(permits) {
            @Override
            public Taken take(Take take) {
                Taken taken = super.take(take);
                if (!take.anyway()) {
                    taken(take, taken.permits());
                }
                return taken;
            }
        };
    }

    /** The store's clock may be off by up to a step, so one permit more than the limit is no violation. */
    private void taken(Permits.Take take, int permits) {
        List<Given> before = given.computeIfAbsent(take.operation(), any -> new ArrayList<>());
        before.add(new Given(time.nanos(), permits));
        long sum = 0;
        for (int i = before.size() - 1; i >= 0; i--) {
            sum += before.get(i).permits;
            long elapsed = time.nanos() - before.get(i).nanos;
            long allowed = take.burst() + elapsed / take.stepNanos() + 1;
            if (sum > allowed) {
                wrongs.add(take.operation() + ": the store gave " + sum + " permits in " + elapsed / 1_000_000
                        + " ms, and the limit allows " + allowed);
                return;
            }
        }
    }

    /**
     * A call of an operation with a limit was answered otherwise than by the limit.
     *
     * @param entered whether its handler ran; any other answer needs no permit while the store cannot be asked for one
     */
    void admitted(String operation, boolean entered) {
        if (!entered && weather.hasFailedPermits()) {
            return;
        }
        int calls = admitted.merge(operation, 1, Integer::sum);
        int permits = given.getOrDefault(operation, List.of()).stream()
                .mapToInt(Given::permits)
                .sum();
        if (calls > permits) {
            wrongs.add(operation + ": " + calls + " calls were admitted, and the store gave " + permits + " permits");
        }
    }
}
