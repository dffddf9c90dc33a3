package dev.semel.worker;

import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.Line;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims of which this node does not know what they were granted: the store committed them, perhaps, and the answer was lost.
 * Every claim has a token of its own, so what it was granted is found by the token, and taken up under the fence that it has.
 * Used by one thread at a time.
 *
 * <p><b>Nothing is begun twice.</b> Only this node knows the token. What the claim did tell is left out, and a claim is forgotten
 * once something of it was found: of the commits that a claim may take, only the last can be the one whose answer was lost.
 *
 * <p><b>It may come late.</b> The commit may still be on its way when it is looked for. So it is looked for again, after longer and
 * longer pauses, until the lease is over, from when on anybody takes it over. The lease counts from before the claim was asked
 * for: what is found too late to be begun is handed back.
 *
 * <p><b>Lanes.</b> Whoever takes a run over when its lease is over takes it from its head on, and may leave its end. That end must not
 * be begun, as those in front of it are somebody else's: it is handed back.
 */
final class LostClaims {
    private static final long FIRST_PAUSE = Duration.ofSeconds(1).toNanos();

    private final long lease;
    private final List<Lost> lost = new ArrayList<>();

    /** One of them. */
    private static final class Lost {
        private final Claim claim;
        private final long asked;
        private final Set<RecordId> overdue;
        private final Set<RecordId> known;
        private long nextLook;
        private long pause = FIRST_PAUSE;

        Lost(Claim claim, long asked, Collection<RecordId> overdue, Collection<Row> known) {
            this.claim = claim;
            this.asked = asked;
            this.overdue = Set.copyOf(overdue);
            this.known = known.stream().map(Row::id).collect(Collectors.toUnmodifiableSet());
            this.nextLook = asked;
        }
    }

    /**
     * What a claim was granted and did not tell.
     *
     * @param asked when the claim was asked for
     * @param overdue those of its records that were taken over from others, and perhaps more
     * @param headless lanes of which it has records, but no longer the head
     */
    record Found(List<Row> rows, long asked, Set<RecordId> overdue, Set<Long> headless) {}

    LostClaims(Duration lease) {
        this.lease = lease.toNanos();
    }

    /**
     * @param asked when, by this node's monotonic clock
     * @param known what it did tell
     */
    void add(Claim claim, long asked, Collection<RecordId> overdue, Collection<Row> known) {
        lost.add(new Lost(claim, asked, overdue, known));
    }

    /** Looks for one that has not been looked for lately; nothing when nothing was found. */
    @Nullable
    Found find(Queue queue, long now) {
        lost.removeIf(each -> now - each.asked > lease);
        for (Lost each : List.copyOf(lost)) {
            if (now - each.nextLook >= 0) {
                List<Row> rows = queue
                        .heldBy(each.claim.operation(), each.claim.grant().owner())
                        .stream()
                        .filter(row -> !each.known.contains(row.id()))
                        .toList();
                if (!rows.isEmpty()) {
                    lost.remove(each);
                    return new Found(rows, each.asked, each.overdue, headless(rows));
                }
                each.nextLook = now + each.pause;
                each.pause *= 2;
            }
        }
        return null;
    }

    private static Set<Long> headless(List<Row> rows) {
        Set<Long> seen = new HashSet<>();
        Set<Long> headless = new HashSet<>();
        for (Row row : rows) {
            Line line = Objects.requireNonNull(row.line());
            if (line.lane() != null && seen.add(line.lane().number()) && line.turn() != Line.Turn.HEAD) {
                headless.add(line.lane().number());
            }
        }
        return headless;
    }
}
