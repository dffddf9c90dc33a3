package dev.semel.console.admin;

import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Finding;
import dev.semel.DeliverySource.Report;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.DeliveryCheck;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Compares what another system says it delivered with the ledger. Only reads, line by line: a page of them is in memory at a time. */
final class DeliveriesResource {
    private static final int PAGE = 500;
    private static final long LARGEST_PAGE = 1 << 20;

    private final AdminLedger ledger;

    DeliveriesResource(AdminLedger ledger) {
        this.ledger = ledger;
    }

    AdminReply check(AdminCall call) throws ApiProblem {
        DeliveryCheck check = ledger.operator().deliveries();
        Report report = Report.EMPTY;
        List<Delivery> page = new ArrayList<>();
        int number = 0;
        long characters = 0;
        Iterator<String> lines =
                call.lines("tenant", "channel", "key", "payload").iterator();
        while (lines.hasNext()) {
            String line = lines.next();
            number++;
            if (!line.isBlank()) {
                Delivery delivery = delivery(line, number);
                if (!call.sight().sees(delivery.tenant().name())) {
                    throw TenantSight.otherTenant();
                }
                page.add(delivery);
                characters += line.length();
            }
            if (page.size() == PAGE || characters > LARGEST_PAGE) {
                report = check.add(report, page);
                page.clear();
                characters = 0;
            }
        }
        return new OneObject(facts(check.add(report, page)));
    }

    private static Delivery delivery(String line, int number) {
        try {
            JsonNode node = JsonMapper.shared().readTree(line);
            JsonNode payload = node.get("payload");
            return new Delivery(
                    Tenant.of(text(node, "tenant")),
                    Operation.leased(text(node, "channel"), Object.class, Object.class)
                            .name(),
                    Key.of(text(node, "key")),
                    payload == null ? null : JsonMapper.shared().writeValueAsBytes(payload));
        } catch (JacksonException | SemelException.Invalid e) {
            throw new SemelException.Invalid(
                    "Line " + number + " is invalid: "
                            + (e instanceof JacksonException j
                                    ? "it is not JSON (" + j.getOriginalMessage() + ")"
                                    : e.getMessage())
                            + " Use {\"tenant\":...,\"channel\":...,\"key\":...} in each line.",
                    e);
        }
    }

    private static String text(JsonNode node, String name) {
        JsonNode value = node.get(name);
        if (value == null || !value.isString()) {
            throw new SemelException.Invalid("\"" + name + "\" is missing or is not a text.");
        }
        return value.stringValue();
    }

    private static Map<String, Object> facts(Report report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("seen", report.seen());
        facts.put("there", report.there());
        facts.put("missing", report.missing());
        facts.put("conflicting", report.conflicting());
        facts.put(
                "findings",
                report.findings().stream().map(DeliveriesResource::facts).toList());
        return facts;
    }

    private static Map<String, Object> facts(Finding finding) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("fault", finding.fault().name());
        facts.put("channel", finding.channel());
        facts.put("tenant", finding.tenant());
        facts.put("key", finding.key());
        facts.put("record", finding.record());
        return facts;
    }
}
