package dev.semel.examples.planner.planning;

import dev.semel.audit.AuditEvent;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** The replays of the request behind an event, from Semel's audit, in the form of the change history. */
@Component
class RequestReplays {
    private static final int MOST = 1000;

    private final Operator operator;

    RequestReplays(Operator operator) {
        this.operator = operator;
    }

    // region replays
    /** The event, and behind it its replays, oldest first; each refers to the event. */
    List<ChangeHistory.Event> with(ChangeHistory.Event first) {
        List<ChangeHistory.Event> events = new ArrayList<>(List.of(first));
        if (first.origin().record() != null) {
            List<AuditEvent> story =
                    operator.story(RecordId.ofHex(first.origin().record()), MOST);
            Optional<String> run = run(first, story);
            story.stream()
                    .filter(event -> event.type().equals("operation.replayed"))
                    .filter(event -> repeats(event.fields(), first, run))
                    .forEach(event -> events.add(replay(event, first)));
        }
        return events;
    }
    // endregion

    /**
     * Semel's name of the run that wrote the event. A key that is used again after its record has expired has the same record id, but
     * another run.
     */
    private static Optional<String> run(ChangeHistory.Event first, List<AuditEvent> story) {
        return story.stream()
                .filter(event -> event.type().equals("operation.executed"))
                .map(AuditEvent::fields)
                .filter(fields -> first.origin().requestId().equals(fields.get("request_id")))
                .filter(fields -> first.origin().correlationId().equals(fields.get("correlation_id")))
                .map(fields -> String.valueOf(fields.get("ref")))
                .findFirst();
    }

    private static boolean repeats(Map<String, Object> replay, ChangeHistory.Event first, Optional<String> run) {
        // A duplicate that waited for the first one in the same process names the record alone.
        String repeated = String.valueOf(replay.get("first_event"));
        return first.origin().requestId().equals(replay.get("first_request_id"))
                && (run.isEmpty() || run.get().equals(repeated) || run.get().startsWith(repeated + "/"));
    }

    private static ChangeHistory.Event replay(AuditEvent event, ChangeHistory.Event first) {
        Map<String, Object> fields = event.fields();
        return new ChangeHistory.Event(
                first.id() + "/" + event.id(),
                text(fields, "time"),
                new ChangeHistory.Who(text(fields, "tenant"), text(fields, "actor")),
                new ChangeHistory.What(
                        "audit.replay", first.what().resource(), first.what().version()),
                new ChangeHistory.Origin(
                        text(fields, "operation"),
                        first.origin().payloadHash(),
                        first.origin().record(),
                        text(fields, "request_id"),
                        text(fields, "correlation_id")),
                new ChangeHistory.Mark(null, first.id(), text(fields, "first_request_id")));
    }

    private static String text(Map<String, Object> fields, String name) {
        return String.valueOf(fields.get(name));
    }
}
