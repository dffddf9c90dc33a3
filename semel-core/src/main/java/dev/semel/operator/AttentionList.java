package dev.semel.operator;

import dev.semel.Mode;
import dev.semel.execution.BreakerStanding;
import dev.semel.operator.Overview.Attention;
import dev.semel.operator.Overview.Attention.AttentionKind;
import dev.semel.store.State;
import dev.semel.store.StateCensus;
import dev.semel.store.StateCensus.OperationCount;
import dev.semel.store.Status;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Pause;
import dev.semel.store.Switchboard.Setting;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Puts what needs a person into sentences. Somebody of one tenant is told nothing that operators wrote, and nothing of other tenants. */
final class AttentionList {
    private static final Comparator<Attention> URGENT_FIRST = Comparator.comparing(Attention::kind)
            .thenComparing(each -> each.operation() == null ? "" : each.operation());

    private final PresentState present;
    private final @Nullable String tenant;
    private final Set<String> known;
    private final List<Attention> items = new ArrayList<>();

    private AttentionList(PresentState present, Set<String> known) {
        this.present = present;
        this.tenant = present.tenant();
        this.known = known;
    }

    /**
     * @param known the operations of which the tenant has records
     * @param breakers of this node, by operation
     */
    static List<Attention> of(PresentState present, Set<String> known, Map<String, BreakerStanding> breakers) {
        AttentionList list = new AttentionList(present, known);
        list.addRecords();
        present.modes().pauses().forEach(list::add);
        present.modes().settings().forEach(list::add);
        if (list.tenant == null) {
            breakers.forEach(list::addUnlessClosed);
        }
        return list.items.stream().sorted(URGENT_FIRST).toList();
    }

    private void addRecords() {
        for (OperationCount each : present.unknown().operations()) {
            add(
                    AttentionKind.UNKNOWN,
                    State.UNKNOWN,
                    present.unknown(),
                    each,
                    each.records(),
                    number(
                                    present.unknown(),
                                    each.records(),
                                    each.records() == 1 ? "record of %s is UNKNOWN" : "records of %s are UNKNOWN")
                            + age(each.since(), ", the oldest for ")
                            + ": whether they took effect is not known. Check, then complete, replay or discard them.");
        }
        for (OperationCount each : present.dead().operations()) {
            if (each.queued() > 0) {
                add(
                        AttentionKind.DEAD_LETTERS,
                        State.FAILED_TERMINAL,
                        present.dead(),
                        each,
                        each.queued(),
                        number(
                                        present.dead(),
                                        each.queued(),
                                        each.queued() == 1
                                                ? "message of %s is a dead letter"
                                                : "messages of %s are dead letters")
                                + ": they are not tried again until somebody replays or discards them.");
            }
        }
        for (OperationCount each : present.expired().operations()) {
            add(
                    AttentionKind.OLD_LEASE,
                    State.IN_PROGRESS,
                    present.expired(),
                    each,
                    each.records(),
                    number(
                                    present.expired(),
                                    each.records(),
                                    each.records() == 1
                                            ? "run of %s has an expired lease"
                                            : "runs of %s have expired leases")
                            + age(each.earliestAt(), ", the oldest for ")
                            + ", and nobody took over: check that the service which runs it is up.");
        }
        present.parkedLanes().forEach((operation, lanes) -> {
            boolean complete = present.unknown().complete() && present.dead().complete();
            String what = lanes == 1 ? "lane of %s is held up" : "lanes of %s are held up";
            items.add(new Attention(
                    AttentionKind.PARKED_LANE,
                    String.format(Locale.ROOT, count(complete, lanes) + " " + what, name(operation))
                            + " by a dead letter or an UNKNOWN message at the head: nothing behind it is delivered.",
                    operation,
                    lanes,
                    !complete,
                    filter(null, operation)));
        });
        addUncounted(AttentionKind.UNKNOWN, State.UNKNOWN, present.unknown());
        addUncounted(AttentionKind.DEAD_LETTERS, State.FAILED_TERMINAL, present.dead());
    }

    /** What was not looked at may be of an operation, or a tenant, of which nothing was counted. */
    private void addUncounted(AttentionKind kind, State state, StateCensus census) {
        if (!census.complete() && items.stream().noneMatch(item -> item.kind() == kind)) {
            items.add(new Attention(
                    kind,
                    "There are too many " + (kind == AttentionKind.UNKNOWN ? "UNKNOWN records" : "failed records")
                            + " to count them all: list them to see whether any of them needs you.",
                    null,
                    0,
                    true,
                    filter(state, null)));
        }
    }

    private void add(
            AttentionKind kind, State state, StateCensus census, OperationCount counted, long count, String sentence) {
        items.add(new Attention(
                kind,
                String.format(Locale.ROOT, sentence.replace("%s", "%1$s"), name(counted.operation())),
                counted.operation(),
                count,
                !census.complete(),
                filter(state, counted.operation())));
    }

    private static String number(StateCensus census, long count, String what) {
        return count(census.complete(), count) + " " + what;
    }

    private static String count(boolean complete, long count) {
        return (complete ? "" : "At least ") + String.format(Locale.ROOT, "%,d", count);
    }

    private String age(long since, String words) {
        long millis = present.modes().now() - since;
        return since == Status.NEVER || millis < 1_000 ? "" : words + inWords(Duration.ofMillis(millis));
    }

    private static String inWords(Duration age) {
        if (age.toDays() >= 2) {
            return age.toDays() + " days";
        }
        if (age.toHours() >= 2) {
            return age.toHours() + " hours";
        }
        return age.toMinutes() >= 2 ? age.toMinutes() + " minutes" : age.toSeconds() + " seconds";
    }

    private void add(Pause pause) {
        boolean ofOthers = pause.tenant() == null && !known.contains(pause.operation());
        if (!isVisible(pause.tenant()) || tenant != null && ofOthers) {
            return;
        }
        String sentence = "Channel " + name(pause.operation()) + " is paused" + whose(pause.tenant()) + " since "
                + Instant.ofEpochMilli(pause.since()).truncatedTo(ChronoUnit.SECONDS)
                + (tenant == null ? " (" + pause.reason() + ")" : "")
                + ": it accepts messages and delivers none until it is resumed.";
        items.add(new Attention(
                AttentionKind.PAUSED, sentence, pause.operation(), 1, false, filter(null, pause.operation())));
    }

    private void add(Setting setting) {
        if (setting.mode() == Mode.LIVE || !isVisible(setting.tenant())) {
            return;
        }
        Group group = setting.group();
        String operation = group == null ? setting.operation() : null;
        String what = group != null
                ? "Operations with " + group
                : operation == null ? "All operations" : "Operation " + name(operation);
        String verb = operation == null ? " are " : " is ";
        boolean halted = setting.mode() == Mode.HALTED;
        items.add(new Attention(
                halted ? AttentionKind.HALTED : AttentionKind.SHADOW,
                what
                        + verb
                        + setting.mode()
                        + whose(setting.tenant())
                        + (halted
                                ? ": work is accepted and none is started."
                                : ": decisions are recorded and not acted on."),
                operation,
                1,
                false,
                filter(null, operation)));
    }

    private void addUnlessClosed(String operation, BreakerStanding breaker) {
        if (breaker.isClosed()) {
            return;
        }
        items.add(new Attention(
                AttentionKind.BREAKER_OPEN,
                "The breaker of " + name(operation)
                        + " is open on this node: its receiver keeps failing, so calls are held back. Other nodes have their own"
                        + " breakers.",
                operation,
                1,
                false,
                filter(null, operation)));
    }

    private boolean isVisible(@Nullable String whose) {
        return tenant == null || whose == null || tenant.equals(whose);
    }

    private static String whose(@Nullable String of) {
        return of == null ? "" : " for tenant " + of;
    }

    /** A name may hold anything but control characters. */
    private static String name(String operation) {
        return operation.isEmpty() ? "(other operations)" : operation;
    }

    private Map<String, String> filter(@Nullable State state, @Nullable String operation) {
        Map<String, String> filter = new TreeMap<>();
        if (state != null) {
            filter.put("state", state.name());
        }
        if (operation != null) {
            filter.put("operation", operation);
        }
        if (tenant != null) {
            filter.put("tenant", tenant);
        }
        return filter;
    }
}
