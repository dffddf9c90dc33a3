package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.key.RecordId;
import dev.semel.store.Arrival;
import dev.semel.store.Enqueued;
import dev.semel.store.FoundRecords;
import dev.semel.store.GroupCommitter;
import dev.semel.store.Ledger;
import dev.semel.store.Move;
import dev.semel.store.Moved;
import dev.semel.store.Reservation;
import dev.semel.store.Reserved;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.time.Uninterrupted;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger behind its group committers. A call whose reply was lost is repeated: reservations carry their owner and
 * moves their fence, so the second answer is the first one's.
 */
public final class GroupedLedger {
    private static final int LARGEST_BATCH = 512;
    private static final int LANES = 2;
    private static final int TRIES = 5;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

    private record PendingReservation(long modesVersion, Reservation reservation) {}

    /** A record as it stood at a moment of the store's clock; absent when there is none that counts. */
    record ReadRecord(@Nullable Row row, long now) {}

    private final Ledger ledger;
    private final TimeSource time;
    private final Watch watch;
    private final GroupCommitter<PendingReservation, Reserved> reservations;
    private final GroupCommitter<RecordId, ReadRecord> lookups;
    private final GroupCommitter<RecordId, ReadRecord> payloadFreeLookups;
    private final GroupCommitter<Move, Moved> moves;
    private final GroupCommitter<Arrival, Enqueued> arrivals;

    public GroupedLedger(Store store, TimeSource time, Watch watch) {
        this.ledger = store.ledger();
        this.time = time;
        this.watch = watch;
        this.reservations = new GroupCommitter<>(
                this::reserveBatch,
                prepared -> prepared.reservation().identity().lock(),
                LARGEST_BATCH,
                LANES,
                time);
        this.lookups = new GroupCommitter<>(
                batch -> findBatch(batch, ledger.find(batch)), id -> id, LARGEST_BATCH, LANES, time);
        this.payloadFreeLookups = new GroupCommitter<>(
                batch -> findBatch(batch, ledger.find(batch, 0)), id -> id, LARGEST_BATCH, LANES, time);
        this.moves =
                new GroupCommitter<>(batch -> shared("move", ledger.move(batch)), Move::id, LARGEST_BATCH, LANES, time);
        this.arrivals = new GroupCommitter<>(
                batch -> shared("enqueue", store.queue().orElseThrow().enqueue(batch)),
                Arrival::id,
                LARGEST_BATCH,
                LANES,
                time);
    }

    /** Reads a record without locking it. */
    ReadRecord find(RecordId id) {
        return lookups.submit(id);
    }

    /** As {@link #find}, without its payload. */
    ReadRecord findWithoutPayload(RecordId id) {
        return payloadFreeLookups.submit(id);
    }

    private List<ReadRecord> findBatch(List<RecordId> batch, FoundRecords found) {
        return shared(
                "find",
                batch.stream()
                        .map(id -> new ReadRecord(found.live(id), found.now()))
                        .toList());
    }

    Reserved reserve(long modesVersion, Reservation reservation) {
        PendingReservation prepared = new PendingReservation(modesVersion, reservation);
        return repeated(() -> answered(reservations.submit(prepared)), false);
    }

    /**
     * Each with its own answer. Those about which the store could not be asked are {@link Reserved.ReserveFailed}, beside others that
     * are granted.
     *
     * @throws SemelException when that is so of all of them
     */
    List<Reserved> reserveAll(long modesVersion, List<Reservation> batch) {
        List<PendingReservation> prepared = batch.stream()
                .map(each -> new PendingReservation(modesVersion, each))
                .toList();
        return each(prepared, reservations::submitAll, Reserved.ReserveFailed::new, GroupedLedger::failure);
    }

    /**
     * Retries for a moment while the store is unavailable, so that a short outage leaves no run unfinished.
     *
     * @throws SemelException.DataRefused when the store refuses what it would write
     */
    Moved move(Move move) {
        Moved moved = repeated(() -> moves.submit(move), true);
        return moved instanceof Moved.Locked ? repeated(() -> alone(move), true) : moved.unlocked(move.id());
    }

    /**
     * Those whose records stay locked by others are answered {@link Moved.Locked}, those whose data the store refuses
     * {@link Moved.NotStored}.
     */
    public List<Moved> moveAll(List<Move> batch) {
        List<Moved> moved = new ArrayList<>(repeated(() -> moves.submitAll(batch), true));
        for (int i = 0; i < moved.size(); i++) {
            if (moved.get(i) instanceof Moved.Locked) {
                List<Move> alone = List.of(batch.get(i));
                moved.set(i, repeated(() -> ledger.move(alone), true).get(0));
            }
        }
        return moved;
    }

    /** For what must not wait for other callers. */
    Ledger ungrouped() {
        return ledger;
    }

    /** Not batched with other callers: it may have to wait for a lock on the record. */
    private Moved alone(Move move) {
        return ledger.move(List.of(move)).get(0).unlocked(move.id());
    }

    Enqueued enqueue(Arrival arrival) {
        return repeated(() -> stored(arrivals.submit(arrival)), false);
    }

    /**
     * Those whose data the store refuses are {@link Enqueued.EnqueueFailed}.
     *
     * @throws SemelException.OutcomeUnknown also when some are stored and others are surely not
     */
    List<Enqueued> enqueueAll(List<Arrival> batch) {
        if (batch.isEmpty()) {
            return List.of();
        }
        List<Enqueued> answers = each(batch, arrivals::submitAll, Enqueued.EnqueueFailed::new, GroupedLedger::failure);
        List<SemelException> failures = answers.stream()
                .map(GroupedLedger::failure)
                .filter(why -> why != null && !(why instanceof SemelException.DataRefused))
                .toList();
        if (!failures.isEmpty()) {
            SemelException why = failures.get(0);
            long stored =
                    answers.stream().filter(answer -> failure(answer) == null).count();
            throw new SemelException.OutcomeUnknown(
                    stored + " of " + batch.size() + " messages are stored; the store failed before it"
                            + " came to the others (" + why.getMessage()
                            + "). Send all of them again: those that are stored count as duplicates.",
                    why);
        }
        return answers;
    }

    private static Reserved answered(Reserved reserved) {
        if (reserved instanceof Reserved.ReserveFailed failed) {
            throw failed.why();
        }
        return reserved;
    }

    private static Enqueued stored(Enqueued enqueued) {
        if (enqueued instanceof Enqueued.EnqueueFailed failed) {
            throw failed.why();
        }
        return enqueued;
    }

    private static @Nullable SemelException failure(Reserved reserved) {
        return reserved instanceof Reserved.ReserveFailed failed ? failed.why() : null;
    }

    private static @Nullable SemelException failure(Enqueued enqueued) {
        return enqueued instanceof Enqueued.EnqueueFailed failed ? failed.why() : null;
    }

    /** Asks for all, in batches, and once more for those whose answers were lost, until each has its own. */
    private <I, O> List<O> each(
            List<I> items,
            Function<List<I>, List<O>> port,
            Function<SemelException, O> failed,
            Function<O, @Nullable SemelException> failure) {
        List<O> answers = new ArrayList<>(Collections.nCopies(items.size(), null));
        List<Integer> open = IntStream.range(0, items.size()).boxed().toList();
        Duration pause = FIRST_PAUSE;
        for (int tries = 1; !open.isEmpty() && tries <= TRIES; tries++) {
            if (tries > 1) {
                BackOff.uninterruptibly(time, pause);
                pause = pause.multipliedBy(2);
            }
            for (int from = 0; from < open.size(); from += LARGEST_BATCH) {
                List<Integer> places = open.subList(from, Math.min(open.size(), from + LARGEST_BATCH));
                List<O> part = part(places.stream().map(items::get).toList(), port, failed);
                for (int i = 0; i < part.size(); i++) {
                    answers.set(places.get(i), part.get(i));
                }
            }
            open = open.stream()
                    .filter(place -> failure.apply(answers.get(place)) instanceof SemelException.OutcomeUnknown)
                    .toList();
        }
        SemelException first = failure.apply(answers.get(0));
        if (first != null && answers.stream().allMatch(answer -> mayPass(failure.apply(answer)))) {
            throw first;
        }
        return answers;
    }

    /** A failure of the store, not of the item's own data. */
    private static boolean mayPass(@Nullable SemelException failure) {
        return failure != null && !(failure instanceof SemelException.DataRefused);
    }

    private static <I, O> List<O> part(
            List<I> items, Function<List<I>, List<O>> port, Function<SemelException, O> failed) {
        try {
            return port.apply(items);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return Collections.nCopies(items.size(), failed.apply(e));
        }
    }

    private List<Reserved> reserveBatch(List<PendingReservation> batch) {
        Map<Long, List<Integer>> byVersion = new LinkedHashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            byVersion
                    .computeIfAbsent(batch.get(i).modesVersion(), v -> new ArrayList<>())
                    .add(i);
        }
        if (byVersion.size() == 1) {
            return reserved(
                    batch.get(0).modesVersion(),
                    batch.stream().map(PendingReservation::reservation).toList());
        }
        Reserved[] outcomes = new Reserved[batch.size()];
        // Each version is a commit of its own: one that fails says nothing about the others.
        byVersion.forEach((version, places) -> {
            List<Reservation> prepared =
                    places.stream().map(place -> batch.get(place).reservation()).toList();
            List<Reserved> part = part(
                    prepared,
                    each -> Uninterrupted.repeating(() -> reserved(version, each)),
                    Reserved.ReserveFailed::new);
            for (int i = 0; i < places.size(); i++) {
                outcomes[places.get(i)] = part.get(i);
            }
        });
        return List.of(outcomes);
    }

    private List<Reserved> reserved(long version, List<Reservation> prepared) {
        return shared("reserve", ledger.reserve(version, prepared));
    }

    private <O> List<O> shared(String step, List<O> outcomes) {
        watch.shared(step, outcomes.size());
        return outcomes;
    }

    /** The caller's interrupt is cleared meanwhile, so that pauses have their length; the call is needed in any case. */
    private <T> T repeated(Supplier<T> call, boolean alsoUnavailable) {
        return Uninterrupted.once(() -> tried(call, alsoUnavailable));
    }

    private <T> T tried(Supplier<T> call, boolean alsoUnavailable) {
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
            BackOff.uninterruptibly(time, pause);
            pause = pause.multipliedBy(2);
        }
    }
}
