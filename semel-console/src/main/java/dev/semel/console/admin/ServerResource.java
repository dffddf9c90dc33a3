package dev.semel.console.admin;

import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.console.access.Person;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.admin.ServerActions.DestinationPart;
import dev.semel.console.admin.ServerActions.DestinationState;
import dev.semel.console.admin.ServerActions.GatewayPart;
import dev.semel.console.admin.ServerActions.ReloadResult;
import dev.semel.console.admin.ServerActions.ServerParts;
import dev.semel.console.admin.ServerActions.SourceCounts;
import dev.semel.console.admin.ServerActions.SourcePart;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.Operator.Warrant;
import dev.semel.policy.PolicySetting;
import dev.semel.store.Inspection;
import dev.semel.store.Inspection.CheckedSetting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server itself: its store, its policies, what it is configured for, and the actions that concern the whole of it. */
final class ServerResource {
    private static final Logger LOG = LoggerFactory.getLogger(ServerResource.class);
    private static final int ATTEMPTS_SHOWN = 10;

    private final AdminLedger ledger;
    private final ServerActions server;

    ServerResource(AdminLedger ledger, ServerActions server) {
        this.ledger = ledger;
        this.server = server;
    }

    AdminReply whoAmI(AdminCall call) {
        Person person = call.sight().person();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", person.name());
        facts.put("role", person.role().code());
        facts.put("tenant", call.sight().seesAll() ? "*" : call.sight().own());
        return new OneObject(facts);
    }

    AdminReply doctor(AdminCall call) throws ApiProblem {
        call.sight().demandAll("The store");
        Inspection inspection = ledger.store().inspect();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("store", ledger.store().name());
        facts.put("class", inspection.guarantee().name());
        facts.put(
                "findings",
                inspection.findings().stream().map(ServerResource::facts).toList());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(CheckedSetting finding) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("setting", finding.setting());
        facts.put("value", finding.value());
        facts.put("limits", finding.limits().name());
        DestinationsResource.put(facts, "advice", finding.advice());
        return facts;
    }

    AdminReply policies(AdminCall call) {
        List<Map<String, Object>> policies = ledger.policies().names().stream()
                .map(name -> facts(ledger.policies().get(name)))
                .toList();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("policies", policies);
        return new OneObject(facts);
    }

    /** The settings as configuration writes them. */
    private static Map<String, Object> facts(Policy policy) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (PolicySetting setting : PolicySetting.values()) {
            setting.of(policy).ifPresent(value -> settings.put(setting.key(), value));
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", policy.name());
        facts.put("code", policy.code());
        facts.put("settings", settings);
        return facts;
    }

    AdminReply parts(AdminCall call) throws ApiProblem {
        call.sight().demandAll("The configuration of the server");
        ServerParts parts = server.parts();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("sources", parts.sources().stream().map(ServerResource::facts).toList());
        facts.put(
                "destinations",
                parts.destinations().stream()
                        .map(each -> facts(each, call.sight()))
                        .toList());
        facts.put(
                "gateways", parts.gateways().stream().map(ServerResource::facts).toList());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(SourcePart source) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", source.name());
        facts.put("channel", source.channel());
        facts.put("policy", source.policy());
        SourceCounts received = source.received();
        if (received != null) {
            facts.put("accepted", received.accepted());
            facts.put("repeated", received.repeated());
            facts.put("rejected", received.rejected());
            DestinationsResource.put(facts, "last_webhook", received.lastStored());
            DestinationsResource.put(facts, "last_rejected", received.lastRejected());
        }
        return facts;
    }

    private Map<String, Object> facts(DestinationPart destination, TenantSight sight) {
        DestinationState report = server.deliveries(ledger.operator(), destination.name(), ATTEMPTS_SHOWN);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", destination.name());
        facts.put("origin", destination.origin());
        facts.put("channel", destination.channel());
        facts.put("policy", destination.policy());
        DestinationsResource.put(facts, "failing_since", report.failingSince());
        DestinationsResource.put(facts, "last_success", report.lastSuccess());
        facts.put("attempts", DestinationsResource.attempts(report, sight));
        return facts;
    }

    private static Map<String, Object> facts(GatewayPart gateway) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", gateway.name());
        facts.put("path", gateway.path());
        facts.put("origin", gateway.origin());
        return facts;
    }

    AdminReply adopt(AdminCall call) throws ApiProblem {
        call.sight().demandAll("Adopting the store");
        int unknown = ledger.operator().adopt(call.warrant());
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("store", ledger.store().name());
        facts.put("epoch", ledger.store().switchboard().epoch());
        facts.put("unknown", unknown);
        return new OneObject(facts);
    }

    /** The event is written first: a reload that cannot be audited is not carried out. */
    AdminReply reload(AdminCall call) throws ApiProblem {
        call.sight().demandAll("A reload");
        Warrant warrant = call.warrant();
        ledger.operator().audit(EventType.SERVER_RELOAD, null, warrant, Map.of("outcome", "requested"));
        ReloadResult result = server.reload();
        List<String> faults = result instanceof ReloadResult.Rejected rejected ? rejected.faults() : List.of();
        ended(warrant, result instanceof ReloadResult.Reloaded, faults.size());
        if (result instanceof ReloadResult.Rejected) {
            throw new ApiProblem(
                            AdminCode.RELOAD_REJECTED,
                            "The changed configuration was rejected; the one in use stays. Faults: " + faults.size()
                                    + ". Correct them and reload again.")
                    .withFaults(faults);
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("outcome", "reloaded");
        facts.put("sentence", "The changed configuration is in use.");
        return new OneObject(facts);
    }

    private void ended(Warrant warrant, boolean inUse, int faults) {
        try {
            ledger.operator()
                    .audit(
                            EventType.SERVER_RELOAD,
                            null,
                            warrant,
                            Map.of("outcome", inUse ? "in use" : "rejected, faults: " + faults));
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            LOG.warn("The outcome of a reload could not be written into the audit; its request was.", e);
        }
    }
}
