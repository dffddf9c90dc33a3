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
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims whose reply was lost: the store may have committed them, and this node does not know what they were granted. Every claim
 * has a token of its own, so the records are found by the token, and continued under the fence that they have. Used by one thread
 * at a time.
 *
 * <p><b>Nothing is begun twice.</b> Only this node knows the token. Records that the reply did name are left out, and a claim is
 * forgotten once records of it were found: of the commits that a claim may take, only the last can be the one whose reply was lost.
 *
 * <p><b>The commit may come late.</b> It may still be on its way when its records are looked for. So they are looked for again,
 * after longer and longer pauses, until the lease expires and anybody may take them over. The lease counts from before the claim
 * was sent: records that are found too late to be begun are handed back.
 *
 * <p><b>Lanes.</b> When a lease expires, another node takes a lane over from its head on, and may leave the last records. These
 * must not be begun, as those in front of them are somebody else's: they are handed back.
 */
final class LostClaims {
    private static final long FIRST_PAUSE = Duration.ofSeconds(1).toNanos();

    private final long lease;
    private final List<LostClaim> lost = new ArrayList<>();

    private static final class LostClaim {
        private final Claim claim;
        private final long since;
        private final Set<RecordId> takenOver;
        private final Set<RecordId> known;
        private long nextLook;
        private long pause = FIRST_PAUSE;

        LostClaim(Claim claim, long since, Collection<RecordId> takenOver, Collection<Row> known) {
            this.claim = claim;
            this.since = since;
            this.takenOver = Set.copyOf(takenOver);
            this.known = known.stream().map(Row::id).collect(Collectors.toUnmodifiableSet());
            this.nextLook = since;
        }
    }

    /**
     * What a claim was granted and its reply did not name.
     *
     * @param since when the claim was sent
     * @param takenOver those of its records that were taken over from other nodes, and perhaps more
     * @param headless lanes of which it has records, but no longer the head
     */
    record FoundClaim(List<Row> rows, long since, Set<RecordId> takenOver, Set<Long> headless) {}

    LostClaims(Duration lease) {
        this.lease = lease.toNanos();
    }

    /**
     * Also for a claim that was added before, if nothing of it has been begun: then this stands for all of it.
     *
     * @param since when it was sent, by this node's monotonic clock
     * @param known records that its reply did name
     */
    void add(Claim claim, long since, Collection<RecordId> takenOver, Collection<Row> known) {
        lost.removeIf(each -> each.claim == claim);
        lost.add(new LostClaim(claim, since, takenOver, known));
    }

    /**
     * Looks for the records of a claim that was not looked for lately; nothing when none were found.
     *
     * @param payloads reads those that were left out; if it fails, the claim is looked for again
     */
    @Nullable
    FoundClaim find(Queue queue, UnaryOperator<List<Row>> payloads, long now) {
        lost.removeIf(each -> now - each.since > lease);
        for (LostClaim each : List.copyOf(lost)) {
            if (now - each.nextLook >= 0) {
                List<Row> rows = queue
                        .heldBy(each.claim.operation(), each.claim.grant().owner())
                        .stream()
                        .filter(row -> !each.known.contains(row.id()))
                        .toList();
                if (!rows.isEmpty()) {
                    List<Row> read = payloads.apply(rows);
                    lost.remove(each);
                    return new FoundClaim(read, each.since, each.takenOver, headless(rows));
                }
                each.nextLook = now + each.pause;
                each.pause *= 2;
            }
        }
        return null;
    }

    /** Lanes of which these have records, but no longer the head. */
    static Set<Long> headless(List<Row> rows) {
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
