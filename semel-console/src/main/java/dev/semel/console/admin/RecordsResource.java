package dev.semel.console.admin;

import dev.semel.CallStatus;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.Explanation;
import dev.semel.operator.ShadowMessages;
import dev.semel.operator.ShadowMessages.ComparedMessage;
import dev.semel.operator.ShadowMessages.ShadowDifference;
import dev.semel.operator.StatusFacts;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.RecordFilter;
import dev.semel.store.RecordSearch;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records: lists, one of them, its story, why it is not done, what came of it, and what callers are told of it. */
final class RecordsResource {
    private static final int LONGEST_STORY = 200;
    private static final int MOST_OF_A_CORRELATION = 1_000;

    /** Those first that may need a person. */
    private static final List<State> ORDER = List.of(
            State.UNKNOWN,
            State.FAILED_TERMINAL,
            State.IN_PROGRESS,
            State.FAILED_RETRYABLE,
            State.QUEUED,
            State.SHADOWED,
            State.DISCARDED,
            State.COMPLETED);

    private final AdminLedger ledger;

    RecordsResource(AdminLedger ledger) {
        this.ledger = ledger;
    }

    AdminReply list(AdminCall call) throws ApiProblem {
        String tenant = call.tenant();
        String operation = call.operation("operation");
        List<State> states = states(call.text("state"));
        Failure.Category category = category(call);
        int attempts = call.number("min_attempts", 0, 0, Integer.MAX_VALUE);
        String lane = call.text("lane");
        Duration overdue = call.span("overdue_for").orElse(null);
        String correlation = call.text("correlation_id");
        String key = call.text("key");
        String digits = call.text("id");
        String cursor = call.text("cursor");
        int limit = call.limit();
        RecordSearch search = new RecordSearch(
                new RecordFilter(tenant, operation, false, Long.MAX_VALUE),
                lane,
                attempts,
                overdue == null ? Status.NEVER : now() - overdue.toMillis(),
                RecordSearch.inFailure(category, null));
        RecordPages pages =
                new RecordPages(ledger.store().ledger(), overdue == null ? states : unfinished(states), search, row -> {
                    Failure failure = category == null ? null : UnresolvedMessages.failure(row);
                    return category == null || failure != null && failure.category() == category;
                });
        if (digits == null && key == null && correlation == null) {
            return new OneObject(pages.page(cursor, limit));
        }
        List<Row> known = digits != null
                ? FoundRecord.search(ledger, call.sight(), digits)
                : key != null ? byKey(tenant, operation, key) : byCorrelation(tenant, correlation);
        return new OneObject(pages.pageOf(known, cursor, limit));
    }

    /** Of a finished record the time is the end of its retention: nothing about it is due. */
    private static List<State> unfinished(List<State> states) {
        return states.stream().filter(state -> !state.finished()).toList();
    }

    private long now() {
        return ledger.store().ledger().find(List.of()).now();
    }

    private static List<State> states(@Nullable String text) throws ApiProblem {
        if (text == null) {
            return ORDER;
        }
        Set<State> named = EnumSet.noneOf(State.class);
        for (String each : text.split(",", -1)) {
            named.add(AdminCall.constant("state", each.strip(), State.class));
        }
        return ORDER.stream().filter(named::contains).toList();
    }

    static Failure.@Nullable Category category(AdminCall call) throws ApiProblem {
        String code = call.text("category");
        if (code == null) {
            return null;
        }
        return Failure.Category.ofCode(code.toLowerCase(Locale.ROOT))
                .orElseThrow(() -> AdminCall.invalid(
                        "category", "is not one that Semel knows, such as network, timeout or validation"));
    }

    private List<Row> byKey(@Nullable String tenant, @Nullable String operation, String key) throws ApiProblem {
        if (tenant == null || operation == null) {
            throw AdminCall.invalid("key", "needs a tenant and an operation beside it");
        }
        return ledger.operator().find(Tenant.of(tenant), operation, Key.of(key)).stream()
                .toList();
    }

    private List<Row> byCorrelation(@Nullable String tenant, @Nullable String id) throws ApiProblem {
        if (tenant == null || id == null) {
            throw AdminCall.invalid("correlation_id", "needs a tenant beside it");
        }
        return ledger.store()
                .ledger()
                .findByCorrelation(tenant, AdminCall.demandPlain("correlation id", id), MOST_OF_A_CORRELATION);
    }

    AdminReply show(AdminCall call) throws ApiProblem {
        Row row = FoundRecord.whole(ledger, FoundRecord.one(ledger, call.sight(), call.value()));
        Map<String, Object> facts = RecordFacts.full(row, call.sight());
        facts.put("contents_hidden", !call.sight().seesContents());
        facts.put("explanation", RecordFacts.explained(row, explanation(call, row)));
        return new OneObject(facts);
    }

    AdminReply explain(AdminCall call) throws ApiProblem {
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        return new OneObject(RecordFacts.explained(row, explanation(call, row)));
    }

    private Explanation explanation(AdminCall call, Row row) {
        return call.sight().seesAll()
                ? ledger.operator().explain(row)
                : ledger.operator().explainToTenant(row);
    }

    AdminReply story(AdminCall call) throws ApiProblem {
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        AuditFilter own = new AuditFilter(row.header().tenant(), null, row.id(), null);
        List<Map<String, Object>> events = new ArrayList<>();
        for (AuditRow each : ledger.operator().events(own, AuditRow.Position.END, LONGEST_STORY)) {
            events.add(AuditResource.fields(each, call.sight()));
        }
        Collections.reverse(events);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("events", events);
        facts.put("cut", events.size() == LONGEST_STORY);
        return new OneObject(facts);
    }

    AdminReply tree(AdminCall call) throws ApiProblem {
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        return new OneObject(RecordFacts.tree(ledger.operator().tree(row), call.sight()));
    }

    AdminReply status(AdminCall call) throws ApiProblem {
        String tenant = call.tenant();
        String operation = call.operation("operation");
        String key = call.text("key");
        String digits = call.text("record");
        if (digits != null && operation == null && key == null) {
            Row row = FoundRecord.one(ledger, call.sight(), digits);
            return status(
                    ledger.operator()
                            .calls()
                            .find(null, row.id().hex())
                            .filter(status -> tenant == null || tenant.equals(status.tenant())),
                    "Record " + digits + " is expired, or is a step.");
        }
        if (digits != null || tenant == null || operation == null || key == null) {
            throw new ApiProblem(
                    ApiCode.INVALID,
                    "No record selected: give record; or tenant, operation and key. Nothing was done.");
        }
        return status(
                ledger.operator().calls().find(Tenant.of(tenant), operation, Key.of(key)),
                operation + " (tenant " + tenant + "): no record of this key.");
    }

    private static AdminReply status(Optional<CallStatus> found, String absent) throws ApiProblem {
        CallStatus status = found.orElse(null);
        if (status == null) {
            throw new ApiProblem(ApiCode.NOT_FOUND, absent);
        }
        return new OneObject(StatusFacts.of(status));
    }

    AdminReply correlation(AdminCall call) throws ApiProblem {
        String tenant = call.tenant();
        String id = AdminCall.demandPlain("correlation id", call.demandText("correlation_id"));
        if (tenant == null) {
            throw AdminCall.invalid("tenant", "is missing");
        }
        var story = ledger.operator().calls().story(Tenant.of(tenant), id);
        if (story.calls().isEmpty()) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND, "Tenant " + tenant + ": no record has the correlation id " + id + ".");
        }
        return new OneObject(StatusFacts.of(story));
    }

    AdminReply shadow(AdminCall call) throws ApiProblem {
        RecordFilter filter = new RecordFilter(call.tenant(), call.operation("operation"), true, Long.MAX_VALUE);
        Set<ShadowDifference> only = EnumSet.allOf(ShadowDifference.class);
        if (call.flag("differences")) {
            only.remove(ShadowDifference.SAME);
        }
        ShadowMessages.Comparison comparison = ledger.operator().shadows().compare(filter, only, call.limit());
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("compared", comparison.total());
        facts.put("complete", comparison.complete());
        for (ShadowDifference difference : ShadowDifference.values()) {
            facts.put(word(difference), comparison.counts().getOrDefault(difference, 0L));
        }
        ShownContents contents = new ShownContents(ledger, call.sight());
        facts.put(
                "messages",
                comparison.shown().stream().map(each -> facts(each, contents)).toList());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(ComparedMessage message, ShownContents contents) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("difference", word(message.difference()));
        Row shadow = message.shadow();
        if (shadow != null) {
            facts.put("would_send", contents.of(shadow));
        }
        Row real = message.real();
        if (real != null) {
            facts.put("sent", contents.of(real));
        }
        return facts;
    }

    private static String word(ShadowDifference difference) {
        return difference.name().toLowerCase(Locale.ROOT);
    }
}
