package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.GroupCommitter;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The ledger behind its group committers. A reply that was lost is asked for again: reservations carry their owner and moves
 * their fence, so the second answer is the first one's.
 */
public final class Commits {
    private static final int LARGEST_BATCH = 512;
    private static final int LANES = 2;
    private static final int TRIES = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private record Asked(long modesVersion, Reservation reservation) {}

    private final Ledger ledger;
    private final TimeSource time;
    private final Watch watch;
    private final GroupCommitter<Asked, Reserved> reservations;
    private final GroupCommitter<Move, Moved> moves;
    private final GroupCommitter<Arrival, Enqueued> arrivals;

    public Commits(Store store, TimeSource time, Watch watch) {
        this.ledger = store.ledger();
        this.time = time;
        this.watch = watch;
        this.reservations = new GroupCommitter<>(
                this::reserveBatch, asked -> asked.reservation().identity().lock(), LARGEST_BATCH, LANES, time);
        this.moves =
                new GroupCommitter<>(batch -> shared("move", ledger.move(batch)), Move::id, LARGEST_BATCH, LANES, time);
        this.arrivals = new GroupCommitter<>(
                batch -> shared("enqueue", store.queue().orElseThrow().enqueue(batch)),
                Arrival::id,
                LARGEST_BATCH,
                LANES,
                time);
    }

    Reserved reserve(long modesVersion, Reservation reservation) {
        return repeated(() -> reservations.submit(new Asked(modesVersion, reservation)), false);
    }

    List<Reserved> reserveAll(long modesVersion, List<Reservation> batch) {
        List<Asked> asked =
                batch.stream().map(each -> new Asked(modesVersion, each)).toList();
        return repeated(() -> reservations.submitAll(asked), false);
    }

    /** The store being away is waited out for a moment: what ran should not be left unfinished for a hiccup. */
    Moved move(Move move) {
        return repeated(() -> moves.submit(move), true);
    }

    public List<Moved> moveAll(List<Move> batch) {
        return repeated(() -> moves.submitAll(batch), true);
    }

    Enqueued enqueue(Arrival arrival) {
        return repeated(() -> arrivals.submit(arrival), false);
    }

    List<Enqueued> enqueueAll(List<Arrival> batch) {
        return batch.isEmpty() ? List.of() : repeated(() -> arrivals.submitAll(batch), false);
    }

    private List<Reserved> reserveBatch(List<Asked> batch) {
        Map<Long, List<Integer>> byVersion = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            byVersion
                    .computeIfAbsent(batch.get(i).modesVersion(), v -> new ArrayList<>())
                    .add(i);
        }
        Reserved[] outcomes = new Reserved[batch.size()];
        byVersion.forEach((version, places) -> {
            List<Reservation> asked =
                    places.stream().map(place -> batch.get(place).reservation()).toList();
            List<Reserved> part = shared("reserve", ledger.reserve(version, asked));
            for (int i = 0; i < places.size(); i++) {
                outcomes[places.get(i)] = part.get(i);
            }
        });
        return List.of(outcomes);
    }

    private <O> List<O> shared(String step, List<O> outcomes) {
        watch.shared(step, outcomes.size());
        return outcomes;
    }

    private <T> T repeated(Supplier<T> call, boolean alsoUnavailable) {
        Duration pause = FIRST_PAUSE;
        for (int tries = 1; ; tries++) {
            try {
                return call.get();
            } catch (SemelException.OutcomeUnknown e) {
                if (tries == TRIES) {
                    throw e;
                }
            } catch (SemelException.StoreUnavailable e) {
                if (!alsoUnavailable || tries == TRIES) {
                    throw e;
                }
            }
            Pauses.uninterruptibly(time, pause);
            pause = pause.multipliedBy(2);
        }
    }
}
