package dev.semel.console.admin;

import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Key;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.execution.ShadowSends;
import dev.semel.operator.Explanation;
import dev.semel.operator.Operator.Forgotten;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.Replays.ReplayOutcome;
import dev.semel.operator.StatusFacts;
import dev.semel.store.Row;
import dev.semel.store.State;
import java.util.LinkedHashMap;
import java.util.Map;

/** Actions on one record. Each is done once, however often it is asked for. */
final class RecordActions {
    private final AdminLedger ledger;

    RecordActions(AdminLedger ledger) {
        this.ledger = ledger;
    }

    AdminReply replay(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        return replayed(call, row, warrant);
    }

    private AdminReply replayed(AdminCall call, Row row, Warrant warrant) throws ApiProblem {
        boolean neverDied = row.state() == State.QUEUED && row.failure() == null;
        boolean refused = neverDied || !Replays.mayReplay(row) && row.state() != State.QUEUED;
        boolean ofShadow = ShadowSends.isOne(row);
        ReplayOutcome outcome =
                refused ? ReplayOutcome.REFUSED : ledger.operator().replay(row.id(), warrant);
        if (outcome == ReplayOutcome.REFUSED && ofShadow && row.state() == State.SHADOWED) {
            throw new ApiProblem(
                    AdminCode.ACTION_REFUSED,
                    RecordFacts.name(row)
                            + " was not sent: its key was used meanwhile with another payload. Nothing was changed. Compare the"
                            + " two with semel ops diff, then discard it.");
        }
        String done = ofShadow
                ? "sent for real; the next free worker runs it."
                : row.line() == null
                        ? "replayed; the next call with its key runs it."
                        : "replayed; the next free worker runs it.";
        return told(call, row, outcome, new Words("replayed", done, ofShadow ? "sent for real" : "replayed"));
    }

    AdminReply discard(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        return discarded(call, row, warrant);
    }

    private AdminReply discarded(AdminCall call, Row row, Warrant warrant) throws ApiProblem {
        ReplayOutcome outcome = ledger.operator().discard(row.id(), warrant);
        return told(call, row, outcome, new Words("discarded", "discarded; it will not be retried.", "discarded"));
    }

    /** Decides about a record that may have taken effect: it is closed if it has, and runs again if it has not. */
    AdminReply resolve(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        String outcome = call.demandText("outcome");
        if (!outcome.equals("took_effect") && !outcome.equals("no_effect")) {
            throw AdminCall.invalid("outcome", "must be took_effect or no_effect");
        }
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        if (row.state() != State.UNKNOWN) {
            throw refused(call, "resolved", row);
        }
        return outcome.equals("took_effect") ? discarded(call, row, warrant) : replayed(call, row, warrant);
    }

    AdminReply cancel(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        Row row = FoundRecord.one(ledger, call.sight(), call.value());
        Cancelled cancelled = ledger.operator()
                .calls()
                .cancel(
                        Tenant.of(row.header().tenant()),
                        row.id().hex(),
                        Cancellation.by(warrant.actor(), warrant.reason()));
        String name = RecordFacts.name(row);
        if (cancelled instanceof Cancelled.NotPossible not) {
            throw new ApiProblem(
                    AdminCode.ACTION_REFUSED, name + ": " + not.notice().reason());
        }
        if (cancelled instanceof Cancelled.NotFound absent) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND, name + ": " + absent.notice().reason());
        }
        Map<String, Object> facts = StatusFacts.of(cancelled);
        facts.put(
                "sentence",
                cancelled.fold(
                        done -> name + ": cancelled; it will not be run.",
                        already -> name + " was already closed; nothing was changed. "
                                + already.status().reason(),
                        not -> "",
                        absent -> ""));
        return new OneObject(facts);
    }

    AdminReply forget(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        String tenant = call.tenant();
        String operation = call.operation("operation");
        String key = call.demandText("key");
        if (tenant == null || operation == null) {
            throw AdminCall.invalid(tenant == null ? "tenant" : "operation", "is missing");
        }
        Tenant whose = Tenant.of(tenant);
        Key which = Key.of(key);
        Forgotten result;
        try {
            result = ledger.operator().forget(whose, operation, which, warrant);
        } catch (SemelException.Invalid e) {
            // The input is validated above, so the state of the record is the cause.
            throw new ApiProblem(AdminCode.ACTION_REFUSED, String.valueOf(e.getMessage()));
        }
        String name = operation + " (tenant " + tenant + "): ";
        if (result == Forgotten.ABSENT) {
            throw new ApiProblem(ApiCode.NOT_FOUND, name + "no record of this key.");
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("outcome", result.name());
        facts.put("sentence", name + "forgotten; the next call with this key runs.");
        return new OneObject(facts);
    }

    /** @param already past participle of what was done before */
    private record Words(String verb, String done, String already) {}

    private AdminReply told(AdminCall call, Row row, ReplayOutcome outcome, Words words) throws ApiProblem {
        if (outcome == ReplayOutcome.REFUSED || outcome == ReplayOutcome.ABSENT) {
            throw refused(call, words.verb, row);
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", row.id().hex());
        facts.put("outcome", outcome.name());
        facts.put(
                "sentence",
                RecordFacts.name(row)
                        + (outcome == ReplayOutcome.DONE
                                ? ": " + words.done
                                : " was already " + words.already + "; nothing was changed."));
        return new OneObject(facts);
    }

    /** Why it could not be done, with the explanation of the record. */
    private ApiProblem refused(AdminCall call, String what, Row row) {
        Row now = FoundRecord.again(ledger, row);
        Explanation explanation = call.sight().seesAll()
                ? ledger.operator().explain(now)
                : ledger.operator().explainToTenant(now);
        String state = now.state() == State.FAILED_TERMINAL ? "is being changed" : "is " + now.state();
        return new ApiProblem(
                AdminCode.ACTION_REFUSED,
                RecordFacts.name(now) + " " + state + " and cannot be " + what + ": nothing was changed. "
                        + Redactor.text(explanation.sentence()));
    }
}
