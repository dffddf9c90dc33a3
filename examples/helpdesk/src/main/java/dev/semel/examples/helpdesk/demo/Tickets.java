package dev.semel.examples.helpdesk.demo;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.client.WireMock;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.http.RequestMethod;
import dev.semel.examples.demo.StandIn;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The stand-in for the helpdesk: its customers' messages, and what was done to its conversations. It recognises a repeated action by its
 * {@code Idempotency-Key}. Thread-safe.
 */
public final class Tickets implements StandIn.Responder {
    private static final JsonMapper JSON = JsonMapper.shared();

    private final Map<String, CustomerMessage> messages = new LinkedHashMap<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<PlannedFault> faults = new ArrayList<>();
    private Consumer<Call> listener = call -> {};
    private boolean checksKeys = true;

    /** A message of a customer, as the helpdesk has it. */
    public record CustomerMessage(String conversation, String id, String text) {
        /** What its webhook carries. */
        public String json() {
            return json("text", text);
        }

        /** The same, sent by a rule of the helpdesk. */
        public String json(String rule) {
            return JSON.writeValueAsString(fields(text, Map.of("rule", rule)));
        }

        /** With another value of a field; an empty one is like a missing one. */
        public String json(String field, String value) {
            return JSON.writeValueAsString(fields(text, Map.of(field, value)));
        }

        private Map<String, String> fields(String words, Map<String, String> more) {
            Map<String, String> fields = new LinkedHashMap<>();
            fields.put("conversation_id", conversation);
            fields.put("message_id", id);
            fields.put("text", words);
            fields.put("created_at", "2026-01-02T03:04:05Z");
            fields.putAll(more);
            return fields;
        }
    }

    /** What became of a call. */
    public enum Reception {
        APPLIED,
        /** Its key was known: nothing was done. */
        REPEATED,
        /** Answered by a fault: nothing was done. */
        FAILED
    }

    /** A call of the middleware, in the order of arrival. */
    public record Call(String kind, String conversation, String target, String text, String key, Reception reception) {}

    /** @param applied whether it takes effect although its answer is a fault */
    private record PlannedFault(String kind, String conversation, boolean applied, ResponseDefinitionBuilder answer) {}

    /** A customer writes; returns the message, of which the helpdesk would send a webhook. */
    public synchronized CustomerMessage write(String conversation, String id, String text) {
        CustomerMessage message = new CustomerMessage(conversation, id, text);
        messages.put(conversation + "/" + id, message);
        return message;
    }

    /** The next call of this kind for a conversation gets this answer and has no effect. Several come in their order. */
    public synchronized void fail(String kind, String conversation, ResponseDefinitionBuilder answer) {
        faults.add(new PlannedFault(kind, conversation, false, answer));
    }

    /** The next call of this kind for a conversation takes effect, and its answer is lost. */
    public synchronized void loseAnswer(String kind, String conversation) {
        faults.add(new PlannedFault(
                kind, conversation, true, WireMock.aResponse().withFault(Fault.CONNECTION_RESET_BY_PEER)));
    }

    /** From now on it does not recognise a repeated action, as many services do not. */
    public synchronized void ignoreKeys() {
        checksKeys = false;
    }

    /** Is told of each call. */
    public synchronized void onCall(Consumer<Call> value) {
        listener = value;
    }

    /** Every call so far. */
    public synchronized List<Call> calls() {
        return List.copyOf(calls);
    }

    /** The calls of a kind, whatever became of them. */
    public List<Call> calls(String kind) {
        return calls().stream().filter(call -> call.kind().equals(kind)).toList();
    }

    /** What took effect. */
    public List<Call> applied() {
        return calls().stream()
                .filter(call -> call.reception() == Reception.APPLIED)
                .toList();
    }

    @Override
    public synchronized ResponseDefinitionBuilder answer(Request request) {
        if (request.getMethod().equals(RequestMethod.POST)) {
            return act(request);
        }
        return request.getUrl().startsWith("/tickets") ? unprocessed() : message(request);
    }

    private ResponseDefinitionBuilder act(Request request) {
        JsonNode body = JSON.readTree(request.getBody());
        String kind = request.getUrl().substring(1);
        String conversation = body.path("conversation_id").asString();
        String key = request.getHeader("Idempotency-Key");
        PlannedFault fault = faults.stream()
                .filter(each -> each.kind.equals(kind) && each.conversation.equals(conversation))
                .findFirst()
                .orElse(null);
        faults.remove(fault);
        Reception reception = fault != null && !fault.applied ? Reception.FAILED : reception(key);
        Call call = new Call(
                kind,
                conversation,
                body.path("target").asString(),
                body.path("text").asString(),
                key,
                reception);
        calls.add(call);
        listener.accept(call);
        return fault == null ? WireMock.okJson("{}") : fault.answer;
    }

    private Reception reception(String key) {
        boolean known = applied().stream().anyMatch(call -> call.key().equals(key));
        return known && checksKeys ? Reception.REPEATED : Reception.APPLIED;
    }

    private ResponseDefinitionBuilder unprocessed() {
        List<String> tagged = applied().stream()
                .filter(call -> call.kind().equals("tag"))
                .map(Call::conversation)
                .toList();
        return WireMock.okJson(messages.values().stream()
                .filter(message -> !tagged.contains(message.conversation))
                .map(CustomerMessage::json)
                .toList()
                .toString());
    }

    private ResponseDefinitionBuilder message(Request request) {
        String conversation = request.queryParameter("conversation_id").firstValue();
        String id = request.queryParameter("message_id").firstValue();
        CustomerMessage found = messages.get(conversation + "/" + id);
        return found == null ? WireMock.notFound() : WireMock.okJson(found.json());
    }
}
