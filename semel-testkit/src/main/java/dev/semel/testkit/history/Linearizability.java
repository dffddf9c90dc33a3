package dev.semel.testkit.history;

import dev.semel.testkit.history.RecordHistory.Call;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether the calls of one record can be put in an order that respects real time and that the model allows: the search of
 * Wing and Gong with Lowe's memory of configurations seen.
 *
 * <p>Calls that only read are taken as soon as they are possible, which loses nothing, since they hinder no other; so
 * sixty-four callers of one key cost sixty-four steps and not all their orders. Forgetting is no reading, also where there is
 * nothing to forget yet. Unknown calls may be taken at any
 * time after their invocation, or never; one that can be taken is as good as another.
 */
final class Linearizability {
    private final List<Call> calls;
    private final Set<Configuration> seen = new HashSet<>();

    private Linearizability(List<Call> calls) {
        this.calls = calls;
    }

    static boolean holds(List<Call> calls) {
        List<Call> relevant = new ArrayList<>();
        for (Call call : calls) {
            if (call.ending() != Event.Ending.FAIL) {
                relevant.add(call);
            }
        }
        return new Linearizability(relevant).search(new BitSet(), Model.NEW);
    }

    private boolean search(BitSet taken, Model model) {
        BitSet done = (BitSet) taken.clone();
        takeReads(done, model);
        if (complete(done)) {
            return true;
        }
        if (!seen.add(new Configuration(done, model))) {
            return false;
        }
        int bound = earliestEnd(done);
        boolean unknownTried = false;
        for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
            Call call = calls.get(i);
            boolean unknown = call.to == Integer.MAX_VALUE;
            boolean possible = call.from < bound && !(unknown && unknownTried);
            Optional<Model> next = possible ? model.after(call) : Optional.empty();
            if (next.isPresent()) {
                unknownTried |= unknown;
                done.set(i);
                if (search(done, next.get())) {
                    return true;
                }
                done.clear(i);
            }
        }
        return false;
    }

    private void takeReads(BitSet done, Model model) {
        boolean progress = true;
        while (progress) {
            progress = false;
            int bound = earliestEnd(done);
            for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
                Call call = calls.get(i);
                if (call.to != Integer.MAX_VALUE
                        && call.ending() != Event.Ending.FORGOTTEN
                        && call.from < bound
                        && model.after(call).filter(model::equals).isPresent()) {
                    done.set(i);
                    progress = true;
                }
            }
        }
    }

    private int earliestEnd(BitSet done) {
        int earliest = Integer.MAX_VALUE;
        for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
            earliest = Math.min(earliest, calls.get(i).to);
        }
        return earliest;
    }

    /** Unknown calls need not be taken. */
    private boolean complete(BitSet done) {
        return earliestEnd(done) == Integer.MAX_VALUE;
    }

    private record Configuration(BitSet taken, Model model) {}

    private enum Phase {
        OPEN,
        COMPLETED,
        FAILED
    }

    /**
     * A record as its callers may see it: open, completed with a result, or failed for good.
     *
     * @param result the hash of the result of COMPLETED
     * @param anyResult completed by a call of which nobody knows the result
     */
    private record Model(Phase phase, @Nullable String result, boolean anyResult) {
        static final Model NEW = new Model(Phase.OPEN, null, false);
        private static final Model FAILED = new Model(Phase.FAILED, null, false);

        /** The model after the call, or nothing if it cannot have ended so here. */
        Optional<Model> after(Call call) {
            String seen = call.result();
            return switch (call.ending()) {
                case EXECUTED -> when(phase == Phase.OPEN, completed(seen));
                case REPLAYED ->
                    when(phase == Phase.COMPLETED && (anyResult || Objects.equals(result, seen)), completed(seen));
                case FAILED -> when(phase != Phase.COMPLETED, FAILED);
                case BUSY -> when(phase == Phase.OPEN, this);
                case REOPENED -> when(phase == Phase.FAILED, NEW);
                case FORGOTTEN -> Optional.of(NEW);
                case UNKNOWN -> when(phase == Phase.OPEN, new Model(Phase.COMPLETED, null, true));
                case ACCEPTED, CONFLICT, REFUSED, FAIL -> Optional.of(this);
            };
        }

        private Optional<Model> when(boolean possible, Model next) {
            return possible ? Optional.of(next) : Optional.empty();
        }

        private static Model completed(@Nullable String result) {
            return new Model(Phase.COMPLETED, result, false);
        }
    }
}
