package dev.semel.testkit.sim;

import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.audit.Verification;
import dev.semel.key.RecordId;
import dev.semel.key.ValueCodec;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Ending;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.History;
import dev.semel.testkit.history.HistoryChecker;
import dev.semel.testkit.history.Judgement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the state after a run, and judges it. */
final class RunVerdict {
    private static final Map<State, Set<EventType>> TELLING = Map.of(
            State.COMPLETED, Set.of(EventType.OPERATION_EXECUTED, EventType.OPERATION_RECONCILED),
            State.FAILED_RETRYABLE,
                    Set.of(EventType.RETRY_ATTEMPT, EventType.RETRY_EXHAUSTED, EventType.OPERATION_RECONCILED),
            State.FAILED_TERMINAL, Set.of(EventType.SYSTEM_ERROR),
            State.DISCARDED, Set.of(EventType.OPERATOR_DISCARDED),
            State.UNKNOWN, Set.of(EventType.OPERATION_UNKNOWN),
            State.SHADOWED, Set.of(EventType.OPERATION_SHADOWED),
            State.IN_PROGRESS, Set.of(EventType.OPERATION_TAKEN_OVER));

    private final World world;
    private final Store store;
    private final History history;
    private final ValueCodec codec = new ValueCodec(1 << 20);
    private final List<String> wrongs;

    RunVerdict(World world, Store audited) {
        this.world = world;
        this.store = audited;
        this.history = world.history;
        this.wrongs = new ArrayList<>(world.book.wrongs());
        wrongs.addAll(world.permits.wrongs());
    }

    /** The violations found by the checker and by further checks. */
    record Verdict(List<String> wrongs, Judgement judgement) {}

    Verdict judge() {
        effects();
        messages();
        deaths();
        onceOnly();
        left();
        audit();
        Judgement judgement = HistoryChecker.check(history.events());
        judgement.violations().forEach(violation -> wrongs.add(violation.toString()));
        return new Verdict(wrongs, judgement);
    }

    /** Effects that were committed are those of calls that were told so, or were never told. */
    private void effects() {
        Map<Integer, String> committed = new TreeMap<>();
        world.store.table().forEach((key, payload) -> {
            if (key.startsWith("effect/")) {
                committed.put(Integer.parseInt(key.substring(7)), payload);
            }
        });
        Map<ClientCall, Integer> count = new HashMap<>();
        committed.forEach((number, payload) -> {
            ClientCall asking = world.business.executions().get(number);
            String record = ClientCall.record(payload);
            history.append(stamp -> new Event.Delivered(
                    stamp,
                    record,
                    Grant.NONE,
                    History.hash(payload.getBytes(StandardCharsets.UTF_8)),
                    Event.Reception.APPLIED,
                    null));
            count.merge(asking, 1, Integer::sum);
            boolean may = asking.ending == null || asking.ending == Ending.EXECUTED || asking.ending == Ending.UNKNOWN;
            if (!may) {
                wrongs.add(
                        record + ": call " + asking.call + " was told " + asking.ending + ", and its effect is there");
            }
        });
        world.business.executions().values().stream().distinct().forEach(asking -> {
            if (asking.ending == Ending.EXECUTED && count.getOrDefault(asking, 0) != 1) {
                wrongs.add(asking.record + ": call " + asking.call + " was executed, and its effect is there "
                        + count.getOrDefault(asking, 0) + " times");
            }
        });
    }

    /**
     * Every message that was completed in a transaction has its effect, messages sent with an effect exist, and no
     * message is left waiting.
     */
    private void messages() {
        Map<String, String> table = world.store.table();
        Map<String, Integer> effects = new HashMap<>();
        table.forEach((key, payload) -> {
            if (key.startsWith("message/")) {
                effects.merge(ClientCall.record(payload), 1, Integer::sum);
            }
        });
        if (!effects.equals(world.mailroom.commits())) {
            wrongs.add("messages were completed " + world.mailroom.commits() + ", and their effects are " + effects);
        }
        Map<String, Integer> arrivals = new HashMap<>();
        world.book.records().values().forEach(kept -> arrivals.merge(kept.name, kept.arrivals(), Integer::sum));
        if (world.provider != null) {
            wrongs.addAll(world.provider.wrongs(arrivals, effects));
        }
        world.mailroom.enclosed().forEach((entry, record) -> {
            boolean otherwise = world.book.sentForReal().contains(record)
                    || world.mailroom.resent().contains(record);
            boolean came = arrivals.getOrDefault(record, 0) == 1;
            if (otherwise
                    ? table.containsKey(entry) && arrivals.getOrDefault(record, 0) == 0
                    : table.containsKey(entry) != came) {
                wrongs.add(record + ": came " + arrivals.getOrDefault(record, 0) + " times; " + entry
                        + (table.containsKey(entry) ? " was" : " was not") + " committed");
            }
        });
        world.mailroom.firsts().forEach((record, firsts) -> {
            if (firsts > arrivals.getOrDefault(record, 0)) {
                wrongs.add(record + ": " + firsts + " senders were told they were the first, and it came "
                        + arrivals.getOrDefault(record, 0) + " times");
            }
        });
        world.book
                .waiting()
                .forEach(kept -> wrongs.add(kept.name + ": is left waiting, and nothing holds it up: "
                        + Objects.requireNonNull(kept.row()).status() + ", "
                        + kept.row().line()));
    }

    /** The fallback of a message is there exactly if its dead letter is, once for each death. */
    private void deaths() {
        if (!world.mailroom.hasFallbacks()) {
            return;
        }
        Map<String, Integer> deaths = new TreeMap<>();
        for (RecordJournal.Change change : world.book.changes()) {
            RecordJournal.Kept kept =
                    Objects.requireNonNull(world.book.records().get(change.id()));
            boolean message = ChannelTraffic.ALL.stream()
                    .anyMatch(channel -> channel.name().equals(kept.header.operation()));
            if (message && !kept.step && change.to() == State.FAILED_TERMINAL) {
                deaths.merge(kept.name, 1, Integer::sum);
            }
        }
        Map<String, Integer> fallbacks = new TreeMap<>();
        world.store.table().forEach((key, record) -> {
            if (key.startsWith(ChannelTraffic.DEATH)) {
                fallbacks.merge(record, 1, Integer::sum);
            }
        });
        if (!deaths.equals(fallbacks)) {
            wrongs.add("messages died " + deaths + ", and their fallbacks are " + fallbacks);
        }
    }

    /** An unrepeatable call reached the outside once for each time that the key was new. */
    private void onceOnly() {
        for (RecordJournal.Kept kept : world.book.records().values()) {
            String operation = kept.header.operation();
            boolean once = !kept.step
                    && (operation.equals(SimOperations.WIRE.name()) || operation.equals(SimOperations.TRANSFER.name()));
            long anew = history.events().stream()
                    .filter(event -> event instanceof Event.Ended ended
                            && ended.ending() == Ending.FORGOTTEN
                            && ended.record().equals(kept.name))
                    .count();
            if (once && world.business.outside.deliveries(kept.name) > 1 + anew) {
                wrongs.add(kept.name + ": delivered " + world.business.outside.deliveries(kept.name)
                        + " times although it may not be repeated");
            }
        }
    }

    private void left() {
        world.book.look(RecordJournal.Cause.NOTHING);
        world.book.records().values().forEach(kept -> {
            Row row = kept.row();
            if (!kept.step && !kept.isShadow() && row != null) {
                boolean held = row.line() != null && !world.book.waiting().contains(kept);
                history.append(
                        stamp -> new Event.Left(stamp, kept.name, row.state().name(), hash(row.result()), held));
            }
        });
    }

    private @Nullable String hash(byte @Nullable [] result) {
        String text = codec.decode(result, String.class);
        return text == null ? null : History.hash(text.getBytes(StandardCharsets.UTF_8));
    }

    private void audit() {
        Map<String, Integer> told = new HashMap<>();
        for (AuditRow row : store.audit().newest(AuditFilter.ALL, Integer.MAX_VALUE)) {
            RecordId id = row.entry().subject().record();
            RecordJournal.Kept kept = id == null ? null : world.book.records().get(id);
            if (kept != null && !kept.isShadow()) {
                long fence = row.entry().fence();
                String type = new AuditEvent(row).type();
                boolean counted = type.equals(EventType.OPERATION_REPLAYED.publicName())
                        || type.equals(EventType.OPERATION_CONFLICT.publicName());
                boolean byOperator = type.startsWith("operator.");
                boolean again = byOperator && told.containsKey(kept.name + "@" + fence + " " + type);
                String name = fence == 0 && !counted && !byOperator || again
                        ? type + " " + row.entry().subject().correlationId() + row.position()
                        : type;
                history.append(stamp -> new Event.Audited(
                        stamp, kept.name, name, new Grant(fence, row.entry().attempt())));
                told.merge(kept.name + "@" + fence + " " + type, 1, Integer::sum);
            }
        }
        for (RecordJournal.Change change : world.book.changes()) {
            String name = world.book.records().get(change.id()).name;
            boolean tells = TELLING.get(change.to()).stream()
                    .anyMatch(type -> told.getOrDefault(name + "@" + change.fence() + " " + type.publicName(), 0) == 1);
            if (!tells && !(change.to() == State.FAILED_RETRYABLE)) {
                wrongs.add(name + ": became " + change.to() + " under fence " + change.fence()
                        + ", and the audit does not tell of it once");
            }
        }
        Verification.VerificationReport report = new Verification(store.audit()).verify(null);
        history.append(stamp -> new Event.Chained(
                stamp,
                report.intact(),
                report.damage().map(Verification.Damage::sentence).orElse("intact")));
    }
}
