package dev.semel.console.admin;

import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.operator.UnresolvedMessages.CauseGroup;
import dev.semel.operator.UnresolvedMessages.CauseGroups;
import dev.semel.operator.UnresolvedMessages.MessageFilter;
import dev.semel.operator.UnresolvedMessages.Preview;
import dev.semel.operator.UnresolvedMessages.Scope;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages that need a person: lists, groups by cause, and what a replay of many would include. */
final class DeadLetters {
    private static final List<State> BOTH = List.of(State.UNKNOWN, State.FAILED_TERMINAL);

    /** Groups are read again and again while a page is open: they are of the newest messages. */
    private static final int MOST_GROUPED = 2_000;

    private final AdminLedger ledger;

    DeadLetters(AdminLedger ledger) {
        this.ledger = ledger;
    }

    /** The messages that a request selects, of the person's tenant only if it has one. */
    static MessageFilter filter(AdminCall call, Scope scope) throws ApiProblem {
        RecordFilter records = new RecordFilter(call.tenant(), call.operation("operation"), true, Long.MAX_VALUE);
        return new MessageFilter(records, RecordsResource.category(call), call.text("exception"), scope);
    }

    AdminReply list(AdminCall call) throws ApiProblem {
        MessageFilter which = filter(call, Scope.BOTH);
        String cursor = call.text("cursor");
        int limit = call.limit();
        return new OneObject(
                new RecordPages(ledger.store().ledger(), BOTH, which.search(), which::matches).page(cursor, limit));
    }

    AdminReply groups(AdminCall call) throws ApiProblem {
        CauseGroups groups = ledger.operator().letters().groups(filter(call, Scope.BOTH), MOST_GROUPED);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("groups", groups.groups().stream().map(DeadLetters::facts).toList());
        facts.put("counted", groups.counted());
        facts.put("complete", groups.complete());
        return new OneObject(facts);
    }

    AdminReply preview(AdminCall call) throws ApiProblem {
        boolean withUnknown = call.flag("unknown");
        MessageFilter which = filter(call, withUnknown ? Scope.BOTH : Scope.DEAD);
        UnresolvedMessages letters = ledger.operator().letters();
        Preview preview = letters.preview(which);
        long unknown = letters.preview(which.with(Scope.UNKNOWN)).count();
        List<CauseGroup> groups = preview.count() == 0
                ? List.of()
                : letters.groups(preview.which(), MOST_GROUPED).groups();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("count", preview.count());
        facts.put("unknown", unknown);
        facts.put("groups", groups.stream().map(DeadLetters::facts).toList());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(CauseGroup group) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("count", group.count());
        facts.put("state", group.state().name());
        facts.put("operation", group.operation());
        facts.put("category", group.category().code());
        facts.put("exception", group.exception());
        facts.put("reason", Redactor.text(group.reason()));
        facts.put("sample", group.sample().id().hex());
        return facts;
    }
}
