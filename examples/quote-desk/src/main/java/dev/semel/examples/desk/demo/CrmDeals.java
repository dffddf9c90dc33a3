package dev.semel.examples.desk.demo;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.http.Request;
import dev.semel.examples.demo.StandIn;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the stand-in for the CRM knows: one deal for each external reference. Thread-safe. */
public final class CrmDeals implements StandIn.Responder {
    private final Map<String, JsonNode> deals = new LinkedHashMap<>();
    private int lostReplies;

    /** The next so many deals are stored, but their callers get an error. */
    public synchronized void loseReplies(int count) {
        lostReplies = count;
    }

    /** The deals by their references. */
    public synchronized Map<String, JsonNode> deals() {
        return Map.copyOf(deals);
    }

    @Override
    public synchronized ResponseDefinitionBuilder answer(Request request) {
        JsonNode deal = JsonMapper.shared().readTree(request.getBody());
        deals.put(deal.path("external_id").asString(""), deal);
        if (lostReplies > 0) {
            lostReplies--;
            return WireMock.aResponse().withStatus(503);
        }
        return WireMock.jsonResponse("{\"stored\":true}", 200);
    }
}
