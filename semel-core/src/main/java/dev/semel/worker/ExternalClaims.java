package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.execution.EngineServices;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Line;
import dev.semel.store.Renewal;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages that are handled outside this process, such as by clients of the HTTP API. A claim grants due messages of one channel and
 * one tenant under a lease. From the grant to the end all state is in the ledger: every node renews and ends a message by its record
 * and fence, and a restart of this node loses nothing. Thread-safe.
 *
 * <p><b>The same decisions.</b> {@link dev.semel.execution.ExternalDelivering} uses the code that serves handlers of a process: modes,
 * deadlines, retries, dead letters and their events. It only holds no lease. A message that is dying has its onDead handler run by the
 * claim that meets it.
 *
 * <p><b>Beside handlers of a process.</b> Both are claimers of the same queue: a message is held by one of them, and the order of a
 * lane is kept between them.
 *
 * <p><b>Lanes.</b> A claim may grant a run of one lane, which is to be handled in its order. Nobody here sees in which order that is
 * done, so a message can be ended only once those before it have been. If it fails and stays in its lane, or is handed back, those of
 * the run behind it are handed back with it. Ends of one lane in one request are a commit each; who ends messages one by one, as they
 * must be handled, pays nothing for that.
 *
 * <p><b>Interrupted messages.</b> A message whose lease expired may be what killed its holder. A permit for one such message at a time,
 * as a process has it, would be state of a node. Instead one claim grants at most one, and its attempt is counted at once, with its
 * fence in the record: its end may come to another node, and must not count it again.
 *
 * <p><b>A lost reply.</b> The token of a claim is made from the id that its client gave it. A repeated claim reads what is held under
 * the token, on any node, and renews it.
 *
 * <p><b>Large payloads.</b> A claim asks for messages in parts: a few, then as many as would fit if all were as large as the largest so
 * far. Large payloads do not come with the claim statement; they are read after it, in the order of the messages, until the bytes of the
 * claim are used up, and the other messages are handed back. The first is read whatever its size. A limit of bytes in the claim statement
 * would have to be in every store, for lanes and takeovers as well. Renewals and ends read no payloads.
 *
 * <p><b>Rejected credentials</b> pause the channel for one tenant, and not for all as in a process: one tenant's client must not stop
 * the others. The probe has a token of its own, so that whichever node records its end resumes the channel.
 *
 * <p><b>Waiting</b> holds a thread; the caller bounds how many wait. Sends wake them, those of other nodes by the store's signals, and
 * each looks once a second, because a retry that becomes due wakes nobody.
 *
 * <p><b>Rate limits and breakers</b> of a channel's handlers do not apply here: the receiver is called from outside, and only whoever
 * calls it knows how it is.
 */
public final class ExternalClaims {
    private static final Duration POLL = Duration.ofSeconds(1);

    private final EngineServices services;
    private final Consumer<Operation<?, ?>> seen;
    private final ClaimWaiters waiters;
    private final ChannelPauses pauses;

    /** @param seen receives each operation, so that its expired leases are looked after */
    ExternalClaims(EngineServices services, Consumer<Operation<?, ?>> seen, ClaimWaiters waiters) {
        this.services = services;
        this.seen = seen;
        this.waiters = waiters;
        this.pauses = new ChannelPauses(
                services.store(), services.audits().events(), services.tools().time());
    }

    /**
     * How messages are asked for.
     *
     * @param most at most so many
     * @param lease how long each grant is trusted without a renewal
     * @param patience how long to wait for the first message
     * @param claimId of the caller's choice, another one for each claim: asked again with the same one, after a lost reply, it is
     *     given the same grants. Null for none: what is granted by a claim whose reply is lost is then held until its lease expires
     */
    public record ClaimTerms(
            int most,
            Duration lease,
            Duration patience,
            @Nullable String claimId) {}

    /**
     * A message that was granted.
     *
     * @param run names it when it is renewed and ended
     * @param lane the lane to which it was sent; absent when it follows nobody
     */
    public record ExternalMessage<P>(
            RunHandle run,
            String key,
            @Nullable P payload,
            @Nullable String lane,
            GrantedAttempt granted,
            String correlationId) {
        /** As {@link GrantedAttempt#number}. */
        public int attempt() {
            return granted.number;
        }

        /** As {@link GrantedAttempt#until}. */
        public Instant leaseUntil() {
            return granted.until;
        }

        /** The idempotency key for a downstream service: the same in all attempts. */
        public String downstreamKey() {
            return run.record().downstreamKey();
        }
    }

    /**
     * The attempt for which a message was granted.
     *
     * @param number from 1
     * @param until the end of the lease by the store's clock, not later than the true one
     */
    public record GrantedAttempt(int number, Instant until) {}

    /** How the end of a message was received. */
    public sealed interface MessageEnd {
        /** It is done; also if that had been said before. */
        record MessageDone() implements MessageEnd {}

        /** It failed, and will be granted again after so long. */
        record MessageRetried(Duration in, String reason) implements MessageEnd {}

        /** It failed for good: a dead letter, or nothing but its audit event where the policy keeps none. */
        record FailedForGood(String reason) implements MessageEnd {}

        /** It may have taken effect and may not be repeated: it waits for a decision. */
        record MessageUnknown(String reason) implements MessageEnd {}

        /** It is in its place again, its attempt refunded. */
        record HandedBack() implements MessageEnd {}

        /** A message before it in its lane has not ended; nothing was recorded, and it is still held. */
        record WaitsForLane() implements MessageEnd {}

        /** No message of this tenant and channel is held under this fence; nothing was recorded. */
        record MessageNotHeld() implements MessageEnd {}

        /** Its record is locked by another transaction; nothing was recorded. To be repeated. */
        record MessageLocked() implements MessageEnd {}
    }

    /**
     * A message whose handler failed.
     *
     * @param retryable whether to try again, where whoever ran it knows; by the failure's category if null. True also says that
     *     nothing took effect that may not be repeated
     */
    public record MessageFailure(
            RunHandle run, Failure failure, @Nullable Boolean retryable) {}

    /** Looks after expired leases of the channel from now on, also while nobody claims. */
    public void know(Channel.Leased<?> channel) {
        seen.accept(channel.operation());
    }

    /**
     * Grants due messages of the tenant; none when there are none, or the channel is switched off or paused. Those of one lane are next
     * to each other and in its order. The payloads of one claim are bounded: it grants fewer than asked for when they are large.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; to be repeated with the same claim id
     */
    public <P> List<ExternalMessage<P>> claim(Channel.Leased<P> channel, Tenant tenant, ClaimTerms terms) {
        TimeSource time = services.tools().time();
        long until = time.nanos() + terms.patience.toNanos();
        while (true) {
            try (ClaimWaiters.Waiter waiter = waiters.enter(channel.name())) {
                if (waiters.isDraining()) {
                    return List.of();
                }
                List<ExternalMessage<P>> granted =
                        new ExternalGrants<>(services, pauses, channel, tenant, terms).claim();
                if (!granted.isEmpty()) {
                    know(channel);
                }
                Duration left = Duration.ofNanos(until - time.nanos());
                if (!granted.isEmpty() || left.isNegative() || left.isZero()) {
                    return granted;
                }
                waiter.await(left.compareTo(POLL) < 0 ? left : POLL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }
    }

    /**
     * Extends the leases from now on.
     *
     * @return for each its new end by the store's clock, not later than the true one; null when it is not held
     */
    public List<@Nullable Instant> renew(Channel.Leased<?> channel, List<RunHandle> runs, Duration lease) {
        Set<RecordId> ids = new LinkedHashSet<>();
        runs.forEach(run -> ids.add(run.record()));
        FoundRecords found = services.store().ledger().find(ids, 0);
        long since = services.modes().storeMillis();
        List<@Nullable Instant> ends = new ArrayList<>(Collections.nCopies(runs.size(), null));
        List<Integer> held = new ArrayList<>();
        Set<RecordId> once = new LinkedHashSet<>();
        for (int i = 0; i < runs.size(); i++) {
            Row row = found.live(runs.get(i).record());
            if (row != null
                    && isOf(row, channel, runs.get(i))
                    && row.state() == State.IN_PROGRESS
                    && once.add(row.id())) {
                held.add(i);
            }
        }
        List<Renewal> renewals = held.stream()
                .map(i -> new Renewal(runs.get(i).record(), runs.get(i).fence(), lease.toMillis()))
                .toList();
        List<Boolean> renewed = renew(services.store().ledger(), renewals);
        Set<Long> lost = new HashSet<>();
        for (int i = 0; i < renewed.size(); i++) {
            Row row = found.live(runs.get(held.get(i)).record());
            if (renewed.get(i) && row != null && !isBehindAnother(row, lost)) {
                ends.set(held.get(i), Instant.ofEpochMilli(since + lease.toMillis()));
            }
        }
        return ends;
    }

    /**
     * Whether the head of its lane belongs to another claim: its lease expired, and somebody took it over, but not those behind it. They
     * must not be handled before it, so they count as lost.
     *
     * @param lost lanes of which this is known
     */
    private boolean isBehindAnother(Row row, Set<Long> lost) {
        Line line = Objects.requireNonNull(row.line());
        Line.@Nullable Lane lane = line.lane();
        if (lane == null || line.turn() != Line.Turn.WAITING) {
            return false;
        }
        boolean other = lost.contains(lane.number())
                || services.store()
                        .queue()
                        .orElseThrow()
                        .head(lane.number())
                        .filter(head -> head.status().owner() != row.status().owner())
                        .isPresent();
        if (other) {
            lost.add(lane.number());
        }
        return other;
    }

    /**
     * In halves while another transaction has locked one of the records.
     *
     * @throws SemelException.Locked when that does not end; the others may have been renewed, and all of it may be repeated
     */
    static List<Boolean> renew(Ledger ledger, List<Renewal> renewals) {
        if (renewals.isEmpty()) {
            return List.of();
        }
        try {
            return ledger.renew(renewals);
        } catch (SemelException.Locked e) {
            if (renewals.size() == 1) {
                throw e;
            }
            int middle = renewals.size() / 2;
            List<Boolean> all = new ArrayList<>(renew(ledger, renewals.subList(0, middle)));
            all.addAll(renew(ledger, renewals.subList(middle, renewals.size())));
            return all;
        }
    }

    /**
     * Their handlers have returned. May be repeated. An owner may finish late, as long as nobody else was granted the message.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; to be repeated
     */
    public List<MessageEnd> finish(Channel.Leased<?> channel, List<RunHandle> runs) {
        return new ExternalEnds(services, pauses, channel)
                .end(runs.stream().map(ExternalEnds.Ending::finished).toList());
    }

    /**
     * Their handlers have failed; the channel's policy decides what follows. May be repeated.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; to be repeated
     */
    public List<MessageEnd> fail(Channel.Leased<?> channel, List<MessageFailure> failures) {
        return new ExternalEnds(services, pauses, channel)
                .end(failures.stream().map(ExternalEnds.Ending::failed).toList());
    }

    /**
     * They were not begun and are handed back, their attempts refunded. May be repeated.
     *
     * @throws SemelException.StoreUnavailable when the ledger cannot be reached; to be repeated
     */
    public List<MessageEnd> release(Channel.Leased<?> channel, List<RunHandle> runs) {
        return new ExternalEnds(services, pauses, channel)
                .end(runs.stream().map(ExternalEnds.Ending::released).toList());
    }

    /** Whether a record is a message of the channel and of the handle's tenant, under its fence. */
    static boolean isOf(Row row, Channel<?> channel, RunHandle run) {
        return row.status().fence() == run.fence()
                && row.header().tenant().equals(run.tenant().name())
                && row.header().operation().equals(channel.name())
                && row.line() != null;
    }
}
