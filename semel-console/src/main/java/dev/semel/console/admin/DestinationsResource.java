package dev.semel.console.admin;

import dev.semel.audit.EventType;
import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.admin.ServerActions.DestinationState;
import dev.semel.console.admin.ServerActions.DestinationTest;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How deliveries to the destinations of a server went on all nodes, and test events to them. */
final class DestinationsResource {
    private static final int MOST_ATTEMPTS = 1_000;
    private static final int USUAL_ATTEMPTS = 20;

    private final Operator operator;
    private final ServerActions server;

    DestinationsResource(AdminLedger ledger, ServerActions server) {
        this.operator = ledger.operator();
        this.server = server;
    }

    /** Those that the ledger knows of, whatever the configuration has. */
    AdminReply list(AdminCall call) throws ApiProblem {
        call.sight().demandAll("The list of destinations");
        List<Map<String, Object>> all = server.destinations(operator).stream()
                .map(name -> facts(name, server.deliveries(operator, name, 1), call.sight()))
                .toList();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("destinations", all);
        return new OneObject(facts);
    }

    AdminReply show(AdminCall call) throws ApiProblem {
        call.sight().demandAll("A destination");
        int shown = call.number("limit", USUAL_ATTEMPTS, 1, MOST_ATTEMPTS);
        String name = AdminCall.demandPlain("The name of a destination", call.value());
        DestinationState state = server.deliveries(operator, name, shown);
        if (state.attempts().isEmpty() && !server.destinations(operator).contains(name)) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND,
                    "The ledger knows nothing of a destination " + JsonBody.shown(name)
                            + ": it is none of those that the list of destinations has.");
        }
        return new OneObject(facts(name, state, call.sight()));
    }

    /** A real request to another system: so it has a reason, and is in the audit before it is sent. */
    AdminReply test(AdminCall call) throws ApiProblem {
        call.sight().demandAll("A test event");
        Warrant warrant = call.warrant();
        String name = call.value();
        if (server.parts().destinations().stream().noneMatch(each -> each.name().equals(name))) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND,
                    "The configuration of this node has no destination " + JsonBody.shown(name)
                            + ": nothing was sent.");
        }
        operator.audit(EventType.DESTINATION_TESTED, null, warrant, Map.of("destination", name));
        DestinationTest result = server.test(name);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("delivered", result.delivered());
        put(facts, "status", result.status());
        facts.put("sentence", result.sentence());
        facts.put("answer", Redactor.text(result.answer()));
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(String name, DestinationState state, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", name);
        put(facts, "last_success", state.lastSuccess());
        put(facts, "failing_since", state.failingSince());
        if (state.pause() != null) {
            facts.put("paused", state.pause().reason());
            facts.put(
                    "paused_since", Instant.ofEpochMilli(state.pause().since()).toString());
        }
        facts.put("attempts", attempts(state, sight));
        return facts;
    }

    /** Answers of destinations are shown only to people who may see contents. */
    static List<Map<String, Object>> attempts(DestinationState state, TenantSight sight) {
        return state.attempts().stream().map(each -> facts(each, sight)).toList();
    }

    private static Map<String, Object> facts(DeliveryAttempt attempt, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("record", attempt.record().hex());
        facts.put("attempt", attempt.attempt());
        facts.put("ended", attempt.ended().toString());
        put(
                facts,
                "duration_ms",
                attempt.duration() == null ? null : attempt.duration().toMillis());
        put(facts, "status", attempt.result().status());
        if (attempt.result().failure() != null) {
            facts.put("category", attempt.result().failure().code());
        }
        if (sight.seesContents()) {
            facts.put("answer", Redactor.text(attempt.result().answer()));
        }
        return facts;
    }

    static void put(Map<String, Object> facts, String name, @Nullable Object value) {
        if (value != null) {
            facts.put(name, value instanceof Instant time ? time.toString() : value);
        }
    }
}
