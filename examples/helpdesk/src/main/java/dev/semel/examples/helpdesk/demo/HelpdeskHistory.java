package dev.semel.examples.helpdesk.demo;

import dev.semel.examples.demo.LedgerHistory;
import dev.semel.examples.demo.LedgerView;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Judgement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What happened, for the history checker: which webhooks were acknowledged ({@code webhook:c1/m1}), and which actions reached the helpdesk
 * ({@code act:KEY}). The order of a conversation is judged too: that of its messages, and for each message assign, reply, tag.
 * An action that an operator replayed has lost its place.
 */
public final class HelpdeskHistory {
    private static final String ACT = "helpdesk.act";
    private static final List<String> KINDS = List.of("assign", "reply", "tag");

    private final LedgerHistory history = new LedgerHistory();
    private final Tickets tickets;
    private final List<String> delivered = new ArrayList<>();

    public HelpdeskHistory(Tickets tickets) {
        this.tickets = tickets;
    }

    /** A webhook is sent; if nothing is thrown, it was acknowledged. */
    public synchronized String delivered(Tickets.CustomerMessage message, Callable<String> delivery) throws Exception {
        String name = message.conversation() + "/" + message.id();
        if (!delivered.contains(name)) {
            delivered.add(name);
        }
        return history.delivered("webhook:" + name, delivery);
    }

    /** Judges the run. Nothing may be under way any more. */
    public synchronized Judgement judge(LedgerView ledger) {
        Set<String> completed = new HashSet<>();
        Set<String> inOrder = new HashSet<>();
        List<Object> replayed = ledger.audit(ACT, "operator.replayed").stream()
                .map(event -> event.get("record"))
                .toList();
        for (State state : State.values()) {
            for (Row row : ledger.rows(state, "helpdesk.inbox")) {
                history.name(row.id(), "webhook:" + message(row));
            }
            for (Row row : ledger.rows(state, ACT)) {
                String record = "act:" + row.header().key();
                history.name(row.id(), record);
                if (state == State.COMPLETED) {
                    completed.add(record);
                }
                if (!replayed.contains(row.id().hex())) {
                    inOrder.add(record);
                }
            }
        }
        tickets.calls().forEach(call -> read(call, completed, inOrder));
        return history.judge(ledger.store(), completed::contains);
    }

    private void read(Tickets.Call call, Set<String> completed, Set<String> inOrder) {
        String record = "act:" + call.key();
        switch (call.reception()) {
            case APPLIED -> {
                if (!completed.contains(record)) {
                    history.worked(record);
                }
                boolean ordered = inOrder.contains(record);
                history.applied(record, ordered ? new Event.Place(call.conversation(), number(call)) : null);
            }
            case REPEATED -> history.repeated(record);
            case FAILED -> {}
        }
    }

    /** Its place among the actions of its conversation. */
    private long number(Tickets.Call call) {
        int message = 0;
        for (int i = 0; i < delivered.size(); i++) {
            String[] ids = delivered.get(i).split("/", 2);
            if (ids[0].equals(call.conversation()) && call.key().endsWith("%3A" + ids[1])) {
                message = i + 1;
            }
        }
        return (long) message * KINDS.size() + KINDS.indexOf(call.kind());
    }

    private static String message(Row row) {
        JsonNode webhook = JsonMapper.shared().readTree(Objects.requireNonNull(row.payload()));
        JsonNode body = JsonMapper.shared().readTree(webhook.get("body").binaryValue());
        return body.path("conversation_id").asString() + "/"
                + body.path("message_id").asString();
    }
}
