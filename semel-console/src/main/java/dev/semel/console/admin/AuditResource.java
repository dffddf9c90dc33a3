package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.audit.AuditEvent;
import dev.semel.audit.EventType;
import dev.semel.audit.Verification;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.LiveEvents;
import dev.semel.console.admin.AdminEndpoint.AdminReply.ManyObjects;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.key.RecordId;
import dev.semel.operator.DecisionReplay;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.AuditRow.Position;
import dev.semel.store.Seal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The audit: newest events, new ones as they come, the export, and the checks of both its seals and its decisions. */
final class AuditResource {
    private static final Pattern ANCHOR = Pattern.compile("[1-9][0-9]{0,17}:[0-9a-f]{64}");
    private static final int PAGE = 500;
    private static final int MOST_READ = 5_000;
    private static final int LOOKED_AT_ONCE = 1_000;
    private static final int MOST_COUNTED = 10_000;

    private final AdminLedger ledger;

    AuditResource(AdminLedger ledger) {
        this.ledger = ledger;
    }

    private AuditLog audit() {
        return ledger.store().audit();
    }

    /** Events of the person's tenant only, if it has one: those of all tenants are then not among them either. */
    private static AuditFilter filter(AdminCall call, @Nullable RecordId record) throws ApiProblem {
        String type = call.text("type");
        Integer code = null;
        if (type != null) {
            EventType known = EventType.named(type).orElse(null);
            if (known == null) {
                throw AdminCall.invalid(
                        "type",
                        "must be one of "
                                + Stream.of(EventType.values())
                                        .map(EventType::publicName)
                                        .collect(Collectors.joining(", ")));
            }
            code = known.code();
        }
        return new AuditFilter(call.tenant(), call.operation("operation"), record, code);
    }

    private record TimeRange(long since, long until) {
        static TimeRange of(AdminCall call) throws ApiProblem {
            TimeRange range = new TimeRange(call.time("since", Long.MIN_VALUE), call.time("until", Long.MAX_VALUE));
            if (range.since >= range.until) {
                throw AdminCall.invalid("since", "must be before until");
            }
            return range;
        }

        boolean contains(AuditRow row) {
            return row.at() >= since && row.at() < until;
        }
    }

    /** The newest first. */
    AdminReply events(AdminCall call) throws ApiProblem {
        String record = call.text("record");
        AuditFilter filter = filter(call, record == null ? null : RecordId.ofHex(record));
        TimeRange times = TimeRange.of(call);
        String cursor = call.text("cursor");
        Position before = cursor == null ? Position.END : PageCursor.event(cursor);
        int limit = call.limit();
        List<Map<String, Object>> found = new ArrayList<>();
        Position next = before;
        // The events of one record have an index of their own on some stores. Other filters would seek through all
        // events.
        AuditFilter stored = filter.record() == null ? AuditFilter.ALL : AuditFilter.of(filter.record());
        int atOnce = filter.equals(AuditFilter.ALL) && times.until == Long.MAX_VALUE ? limit : LOOKED_AT_ONCE;
        for (int looked = 0; looked < MOST_READ; looked += atOnce) {
            List<AuditRow> page = audit().older(stored, next, atOnce);
            for (AuditRow row : page) {
                next = row.position();
                if (row.at() < times.since) {
                    return page(found, null);
                }
                if (times.contains(row) && filter.matches(row.entry())) {
                    found.add(fields(row, call.sight()));
                }
                if (found.size() == limit) {
                    return page(found, next);
                }
            }
            if (page.size() < atOnce) {
                return page(found, null);
            }
        }
        return page(found, next);
    }

    /** An event as this person may see it: the answers of destinations are contents. */
    static Map<String, Object> fields(AuditRow row, TenantSight sight) {
        Map<String, Object> fields = new AuditEvent(row).fields();
        if (!sight.seesContents()) {
            fields.remove(DeliveryAttempt.ANSWER_FIELD);
        }
        return fields;
    }

    private static AdminReply page(List<Map<String, Object>> events, @Nullable Position next) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("events", events);
        if (next != null) {
            facts.put("next", PageCursor.of(next));
        }
        return new OneObject(facts);
    }

    /** In the order of the seals, from the cursor on; without one from before so many of the newest. */
    AdminReply follow(AdminCall call) throws ApiProblem {
        AuditFilter filter = filter(call, null);
        String cursor = call.text("cursor");
        int last = call.number("last", 0, 0, 1_000);
        Position at = cursor == null ? start(filter, last) : PageCursor.event(cursor);
        List<Map<String, Object>> found = new ArrayList<>();
        for (AuditRow row : audit().behindHorizon(at, PAGE)) {
            at = row.position();
            if (filter.matches(row.entry())) {
                found.add(fields(row, call.sight()));
            }
        }
        return page(found, at);
    }

    /** As {@link #follow}, without asking again. */
    AdminReply live(AdminCall call) throws ApiProblem {
        AuditFilter filter = filter(call, null);
        String cursor = call.text("cursor");
        int last = call.number("last", 0, 0, 1_000);
        Position from = cursor == null ? start(filter, last) : PageCursor.event(cursor);
        return new LiveEvents(new AuditFollower(audit(), filter, call.sight(), from));
    }

    /** Before so many of the newest that match, as far as they are among those that a page looks at. */
    private Position start(AuditFilter filter, int last) {
        List<AuditRow> newest = audit().newest(AuditFilter.ALL, last == 0 ? 1 : MOST_READ);
        if (newest.isEmpty()) {
            return Position.START;
        }
        if (last == 0) {
            return newest.get(0).position();
        }
        int matching = 0;
        Position oldest = newest.get(0).position();
        for (AuditRow row : newest) {
            oldest = row.position();
            matching += filter.matches(row.entry()) ? 1 : 0;
            if (matching == last) {
                break;
            }
        }
        return new Position(oldest.tx(), oldest.seq() - 1);
    }

    /** All events that match, in the order of the seals. A page of them is in memory at a time. */
    AdminReply export(AdminCall call) throws ApiProblem {
        AuditFilter filter = filter(call, null);
        TimeRange times = TimeRange.of(call);
        return new ManyObjects(out -> each(filter, times, call.sight(), out));
    }

    private void each(AuditFilter filter, TimeRange times, TenantSight sight, Consumer<Map<String, Object>> out) {
        Position at = Position.START;
        List<AuditRow> page;
        do {
            page = audit().behindHorizon(at, PAGE);
            for (AuditRow row : page) {
                at = row.position();
                if (times.contains(row) && filter.matches(row.entry())) {
                    out.accept(fields(row, sight));
                }
            }
        } while (page.size() == PAGE);
    }

    AdminReply verify(AdminCall call) throws ApiProblem {
        call.sight().demandAll("The chain of seals");
        String anchor = call.text("anchor");
        String known = anchor == null ? null : anchor.toLowerCase(Locale.ROOT);
        if (known != null && !ANCHOR.matcher(known).matches()) {
            throw new SemelException.Invalid("The anchor '" + anchor + "' is invalid: it must be a number, a colon and"
                    + " 64 hexadecimal digits. Use the anchor that 'semel audit verify' printed.");
        }
        Verification.VerificationReport report = new Verification(audit()).verify(known);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("store", ledger.store().name());
        facts.put("intact", report.intact());
        facts.put("seals", report.seals());
        facts.put("events", report.events());
        report.damage().ifPresent(damage -> facts.put("damage", damage(damage)));
        report.anchor().ifPresent(newest -> facts.put("anchor", newest));
        facts.put("unsealed", unsealed());
        return new OneObject(facts);
    }

    private static Map<String, Object> damage(Verification.Damage damage) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("kind", damage.kind().name());
        facts.put("seal", damage.seal());
        damage.event().ifPresent(event -> facts.put("event", event));
        facts.put("sentence", damage.sentence());
        return facts;
    }

    private int unsealed() {
        Position sealed = audit().newestSeal().map(Seal::upTo).orElse(Position.START);
        int count = 0;
        List<AuditRow> page;
        do {
            page = audit().behindHorizon(sealed, PAGE);
            count += page.size();
            sealed = page.isEmpty() ? sealed : page.get(page.size() - 1).position();
        } while (page.size() == PAGE && count < MOST_COUNTED);
        return Math.min(count, MOST_COUNTED);
    }

    AdminReply replayDecisions(AdminCall call) throws ApiProblem {
        AuditFilter filter = filter(call, null);
        TimeRange times = TimeRange.of(call);
        DecisionReplay replay = DecisionReplay.bySettingsOfEvents();
        each(filter, times, call.sight(), replay::read);
        DecisionReplay.DecisionReport report = replay.report();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("decisions", report.decisions());
        facts.put("equal", report.equal());
        facts.put("differing", report.differing());
        facts.put("without_inputs", report.withoutInputs());
        facts.put(
                "differences",
                report.differences().stream().map(AuditResource::difference).toList());
        return new OneObject(facts);
    }

    private static Map<String, Object> difference(DecisionReplay.Difference difference) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("event", difference.event());
        facts.put("record", difference.record());
        facts.put("what", difference.what());
        facts.put("stored", difference.stored());
        facts.put("recomputed", difference.recomputed());
        return facts;
    }
}
