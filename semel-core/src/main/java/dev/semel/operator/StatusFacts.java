package dev.semel.operator;

import dev.semel.Answer;
import dev.semel.CallStatus;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation.Cancelled;
import dev.semel.Failure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Statuses as JSON objects: the same names and words on the command line, over HTTP and in the Actuator. */
public final class StatusFacts {
    private StatusFacts() {}

    /** Where a call or message stands. */
    public static Map<String, Object> of(CallStatus status) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("id", status.recordId());
        facts.put("tenant", status.tenant());
        facts.put("operation", status.operation());
        if (status.call().sentBy() != null) {
            facts.put("sent_by", status.call().sentBy());
        }
        facts.put("state", status.state().name());
        facts.put("reason", status.reason());
        facts.put("attempts", status.attempts().made());
        if (status.attempts().next() != null) {
            facts.put("next_attempt", status.attempts().next().toString());
        }
        Failure failure = status.failure();
        if (failure != null) {
            Map<String, Object> why = new LinkedHashMap<>();
            why.put("category", failure.category().code());
            why.put("reason", failure.reason());
            facts.put("failure", why);
        }
        facts.put("correlation_id", status.correlationId());
        facts.put("next", words(status.next()));
        return facts;
    }

    /** All that one correlation id caused. */
    public static Map<String, Object> of(CallStory story) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("correlation_id", story.correlationId());
        List<Map<String, Object>> calls = new ArrayList<>();
        story.calls().forEach(call -> calls.add(of(call)));
        facts.put("calls", calls);
        facts.put("cut", story.cut());
        return facts;
    }

    /** The outcome of a cancellation, with the status where there is one. */
    public static Map<String, Object> of(Cancelled cancelled) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("outcome", outcome(cancelled));
        facts.put("reason", cancelled.reason());
        cancelled
                .fold(
                        done -> List.of(done.status()),
                        already -> List.of(already.status()),
                        not -> List.of(not.status()),
                        absent -> List.<CallStatus>of())
                .forEach(status -> facts.put("status", of(status)));
        return facts;
    }

    private static String outcome(Cancelled cancelled) {
        return cancelled.fold(
                done -> "cancelled", already -> "already_cancelled", not -> "not_cancelled", absent -> "not_found");
    }

    /** The actions in the order of their declaration: {@code check_status}. */
    public static List<String> words(Set<Answer.Next> next) {
        return next.stream()
                .sorted()
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .toList();
    }
}
