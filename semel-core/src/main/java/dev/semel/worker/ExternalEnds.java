package dev.semel.worker;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.execution.DeliveryResult;
import dev.semel.execution.EngineServices;
import dev.semel.execution.ExternalDelivering;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.execution.Failures;
import dev.semel.execution.PendingDeath;
import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Line;
import dev.semel.store.Moved;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ends messages of {@link ExternalClaims}, each by its own conditional write. The messages of a lane are ended one after the other: in
 * each round the first of each lane, until nothing is left or what is left waits for messages that are not ended here.
 */
final class ExternalEnds {
    private final EngineServices services;
    private final ExternalDelivering delivering;
    private final ChannelPauses pauses;
    private final Channel.Leased<?> channel;
    private final Operation<?, ?> operation;
    private final ResultLog log;

    ExternalEnds(EngineServices services, ChannelPauses pauses, Channel.Leased<?> channel) {
        this.services = services;
        this.delivering = new ExternalDelivering(services.deliveries());
        this.pauses = pauses;
        this.channel = channel;
        this.operation = channel.operation();
        this.log = new ResultLog(channel.name(), services.tools().watch());
    }

    private enum EndingKind {
        FINISHED,
        FAILED,
        RELEASED
    }

    /** How a message ends, as whoever has it says. */
    record Ending(
            RunHandle run,
            EndingKind kind,
            @Nullable Failure failure,
            @Nullable Boolean retryable) {
        static Ending finished(RunHandle run) {
            return new Ending(run, EndingKind.FINISHED, null, null);
        }

        static Ending failed(MessageFailure failed) {
            return new Ending(failed.run(), EndingKind.FAILED, failed.failure(), failed.retryable());
        }

        static Ending released(RunHandle run) {
            return new Ending(run, EndingKind.RELEASED, null, null);
        }
    }

    /** A write of this round. */
    private record PendingEnd(Row row, DeliveryResult result) {}

    List<MessageEnd> end(List<Ending> endings) {
        @Nullable MessageEnd[] ends = new MessageEnd[endings.size()];
        boolean progress = true;
        while (progress) {
            progress = round(endings, ends);
        }
        List<MessageEnd> answers = new ArrayList<>();
        for (MessageEnd end : ends) {
            answers.add(end == null ? new MessageEnd.WaitsForLane() : end);
        }
        return answers;
    }

    /** Whether something was written, after which others may be the first of their lanes. */
    private boolean round(List<Ending> endings, @Nullable MessageEnd[] ends) {
        Set<RecordId> open = new LinkedHashSet<>();
        for (int i = 0; i < ends.length; i++) {
            if (ends[i] == null) {
                open.add(endings.get(i).run.record());
            }
        }
        if (open.isEmpty()) {
            return false;
        }
        FoundRecords found = services.store().ledger().find(open, 0);
        Map<RecordId, PendingEnd> writes = new LinkedHashMap<>();
        Map<RecordId, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < ends.length; i++) {
            Ending ending = endings.get(i);
            RecordId id = ending.run.record();
            if (ends[i] != null || places.containsKey(id)) {
                continue;
            }
            Row row = found.live(id);
            if (row == null || !ExternalClaims.isOf(row, channel, ending.run)) {
                ends[i] = new MessageEnd.MessageNotHeld();
            } else if (!isHeld(row, ending.kind)) {
                ends[i] = earlierEnd(row, ending.kind, found.now());
            } else if (ending.kind == EndingKind.RELEASED || line(row).turn() != Line.Turn.WAITING) {
                places.put(id, i);
                writes.put(id, new PendingEnd(row, result(ending, row)));
            }
        }
        List<PendingEnd> first = List.copyOf(writes.values());
        first.forEach(each -> addFollowers(each, writes));
        write(List.copyOf(writes.values()), places, ends);
        return !writes.isEmpty();
    }

    private static boolean isHeld(Row row, EndingKind kind) {
        // An owner may finish late.
        return row.state() == State.IN_PROGRESS || kind == EndingKind.FINISHED && row.state() == State.UNKNOWN;
    }

    private static Line line(Row row) {
        return Objects.requireNonNull(row.line());
    }

    private DeliveryResult result(Ending ending, Row row) {
        return switch (ending.kind) {
            case FINISHED -> delivering.finished(operation, row);
            case FAILED -> delivering.failed(operation, row, Objects.requireNonNull(ending.failure), ending.retryable);
            case RELEASED -> delivering.handedBack(operation, row);
        };
    }

    /**
     * What the same claim was granted behind a message that stays in its lane is handed back with it: it must not be handled before.
     * Its holder learns that when it ends or renews them.
     */
    private void addFollowers(PendingEnd end, Map<RecordId, PendingEnd> writes) {
        Line line = line(end.row);
        Line.@Nullable Lane lane = line.lane();
        if (lane == null || end.result.letsLaneGoOn()) {
            return;
        }
        services
                .store()
                .queue()
                .orElseThrow()
                .heldBy(channel.name(), end.row.status().owner())
                .stream()
                .filter(row -> line(row).place() > line.place()
                        && lane.equals(line(row).lane())
                        && row.header().tenant().equals(end.row.header().tenant()))
                .forEach(row ->
                        writes.putIfAbsent(row.id(), new PendingEnd(row, delivering.handedBack(operation, row))));
    }

    private void write(List<PendingEnd> writes, Map<RecordId, Integer> places, @Nullable MessageEnd[] ends) {
        if (writes.isEmpty()) {
            return;
        }
        List<Moved> moved = services.ledger()
                .moveAll(writes.stream().map(each -> each.result.move()).toList());
        boolean lanes = false;
        for (int i = 0; i < writes.size(); i++) {
            PendingEnd end = writes.get(i);
            Moved answer = moved.get(i);
            if (answer instanceof Moved.NotStored refused) {
                end = new PendingEnd(end.row, delivering.notStored(operation, end.row, end.result, refused.why()));
                answer = services.ledger().moveAll(List.of(end.result.move())).get(0);
            }
            lanes |= line(end.row).lane() != null;
            Integer place = places.get(end.row.id());
            MessageEnd said = written(end, answer);
            if (place != null) {
                ends[place] = said;
            }
        }
        if (lanes) {
            services.memory().wakeUps().wake(Set.of(channel.name()));
        }
    }

    private MessageEnd written(PendingEnd end, Moved moved) {
        if (moved instanceof Moved.Locked || moved instanceof Moved.NotStored) {
            return new MessageEnd.MessageLocked();
        }
        if (moved instanceof Moved.Refused) {
            return new MessageEnd.MessageNotHeld();
        }
        DeliveryResult result = end.result;
        log.written(end.row, result, moved);
        Tenant tenant = Tenant.of(end.row.header().tenant());
        if (result.kind() == DeliveryResult.ResultKind.REFUSED) {
            pauses.refused(channel.name(), tenant.name(), Objects.requireNonNull(result.failure()));
        } else if (result.kind() == DeliveryResult.ResultKind.DONE
                && end.row.status().owner() == ExternalGrants.probeToken(channel, tenant)) {
            pauses.probeWorked(channel.name(), tenant.name());
        }
        String reason = result.failure() == null ? "" : result.failure().reason();
        return switch (result.kind()) {
            case DONE -> new MessageEnd.MessageDone();
            case RETRIED ->
                new MessageEnd.MessageRetried(
                        Duration.ofMillis(result.move().change().delayMillis()), reason);
            case DEAD, DYING, DROPPED -> new MessageEnd.FailedForGood(reason);
            case UNKNOWN -> new MessageEnd.MessageUnknown(reason);
            case HANDED_BACK, REFUSED, SHADOWED -> new MessageEnd.HandedBack();
        };
    }

    /** Repeated after a lost reply: what the record says, if that can have come of such an end. */
    private static MessageEnd earlierEnd(Row row, EndingKind kind, long now) {
        byte[] failure = row.failure();
        String reason = failure == null ? "" : Failures.decode(failure).reason();
        boolean failed = kind == EndingKind.FAILED;
        return switch (row.state()) {
            case COMPLETED ->
                kind == EndingKind.FINISHED ? new MessageEnd.MessageDone() : new MessageEnd.MessageNotHeld();
            case FAILED_RETRYABLE ->
                failed
                        ? new MessageEnd.MessageRetried(
                                Duration.ofMillis(Math.max(0, row.status().at() - now)), reason)
                        : new MessageEnd.MessageNotHeld();
            case FAILED_TERMINAL -> failed ? new MessageEnd.FailedForGood(reason) : new MessageEnd.MessageNotHeld();
            case UNKNOWN -> failed ? new MessageEnd.MessageUnknown(reason) : new MessageEnd.MessageNotHeld();
            case QUEUED -> queued(failed, kind == EndingKind.FINISHED, PendingDeath.read(failure), reason);
            default -> new MessageEnd.MessageNotHeld();
        };
    }

    private static MessageEnd queued(boolean failed, boolean finished, @Nullable PendingDeath death, String reason) {
        if (failed && death != null) {
            return new MessageEnd.FailedForGood(reason);
        }
        return finished ? new MessageEnd.MessageNotHeld() : new MessageEnd.HandedBack();
    }
}
