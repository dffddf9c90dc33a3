package dev.semel.audit;

import dev.semel.Call.Origin;
import dev.semel.Failure;
import dev.semel.Policy;
import dev.semel.key.RecordId;
import dev.semel.policy.DecisionFields;
import dev.semel.policy.RetryInput;
import dev.semel.store.AuditEntry;
import dev.semel.store.Header;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Makes audit events. Events of outcomes can be switched off; operators' actions cannot. A key never appears: the record's id
 * is its hash. Texts in the details go through the {@link Redactor}.
 */
public final class Events {
    /** The recovery action of an attempt whose caller stops: whatever the policy decided, it is due at once. */
    public static final String CALLER_INTERRUPTED = "the caller was interrupted";

    /** The recovery action of a call whose onDead handler failed: it is not dead, and its caller may repeat it. */
    public static final String ON_DEAD_FAILED = "retry by the caller: its onDead handler failed";

    /** How the details begin that a handler noted. They are made harmless when they are noted: what is escaped since would be misread. */
    public static final String NOTE = "note.";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final boolean outcomes;

    /** @param outcomes whether events of operations' outcomes are made */
    public Events(boolean outcomes) {
        this.outcomes = outcomes;
    }

    /** An event of a record's outcome, or nothing when those are switched off. */
    public @Nullable AuditEntry outcome(EventType type, About about, Map<String, ?> details) {
        return outcomes ? event(type, about, details) : null;
    }

    /** A failed attempt, with everything needed to reproduce the decision. */
    public @Nullable AuditEntry attempt(EventType type, About about, AttemptDetails tried) {
        return outcomes ? tried(type, about, tried) : null;
    }

    /**
     * A record that dies: {@code system.error}, after {@code retry.exhausted} where its attempts ran out.
     *
     * @param exhausted whether its attempts ran out
     */
    public List<AuditEntry> death(About about, AttemptDetails tried, boolean exhausted) {
        if (!outcomes) {
            return List.of();
        }
        return exhausted
                ? List.of(
                        tried(EventType.RETRY_EXHAUSTED, about, tried),
                        event(EventType.SYSTEM_ERROR, about, tried, Map.of()))
                : List.of(tried(EventType.SYSTEM_ERROR, about, tried));
    }

    /**
     * As {@link #death}, of a record that is removed: written even if events are switched off, because nothing else
     * is left of it.
     */
    public AuditEntry drop(About about, AttemptDetails tried, boolean exhausted) {
        return tried(exhausted ? EventType.RETRY_EXHAUSTED : EventType.SYSTEM_ERROR, about, tried);
    }

    private AuditEntry tried(EventType type, About about, AttemptDetails tried) {
        return event(type, about, tried, tried.inputs());
    }

    /** @param inputs of the decision; none of an event that follows another of the same decision */
    private AuditEntry event(EventType type, About about, AttemptDetails tried, Map<String, Object> inputs) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("category", tried.failure().category().code());
        details.put("attempt", tried.number());
        details.put("of", tried.of());
        if (tried.delay() != null) {
            details.put("delay_ms", tried.delay().toMillis());
        }
        details.put("reason", tried.failure().reason());
        if (tried.failure().exception() != null) {
            details.put("exception", tried.failure().exception());
        }
        details.put("recovery_action", tried.recovery());
        details.putAll(inputs);
        AuditEntry made = event(type, about, details);
        return new AuditEntry(made.type(), made.subject(), made.policy(), about.fence(), tried.number(), made.body());
    }

    /**
     * Replays or conflicts of a record, so many of them.
     *
     * @param first what was replayed; absent when that is not told
     */
    public AuditEntry repeated(EventType type, About about, @Nullable FirstRun first, long count) {
        RecordId record = about.subject().record();
        boolean refers = first != null && record != null && type == EventType.OPERATION_REPLAYED;
        return event(type, about, Map.of("count", count), refers ? first.references(record) : Map.of());
    }

    /** An event that is written even if events are switched off. */
    public AuditEntry event(EventType type, About about, Map<String, ?> details) {
        return event(type, about, details, Map.of());
    }

    /** @param references to other events: no free text, so they stay as they are; a fence may look like the number of a card */
    private static AuditEntry event(
            EventType type, About about, Map<String, ?> details, Map<String, String> references) {
        String body = body(about.origin(), details, references);
        return new AuditEntry(type.code(), about.subject(), about.policy(), about.fence(), 0, body);
    }

    private static @Nullable String body(Origin origin, Map<String, ?> details, Map<String, String> references) {
        if (origin == Origin.UNSTATED && details.isEmpty()) {
            return null;
        }
        Map<String, Object> body = StoredOrigin.fields(origin);
        details.forEach((name, value) ->
                body.put(name, value instanceof String text && !name.startsWith(NOTE) ? Redactor.text(text) : value));
        body.putAll(references);
        return body.isEmpty() ? null : JSON.writeValueAsString(body);
    }

    /**
     * What an event is about.
     *
     * @param policy code of the policy that decided; absent where it is not known
     * @param fence of the run, for events that are written alone
     */
    public record About(
            AuditEntry.Subject subject,
            Origin origin,
            @Nullable String policy,
            long fence) {
        /** A record, by its header. */
        public static About record(RecordId id, Header header, Origin origin, @Nullable String policy) {
            return new About(
                    new AuditEntry.Subject(
                            header.tenant(),
                            header.operation(),
                            id,
                            header.fingerprint().bytes(),
                            header.correlationId()),
                    origin,
                    policy,
                    0);
        }

        /** A record that somebody asked for earlier: an event of it that no caller waits for. */
        public static About stored(RecordId id, Header header, @Nullable String policy) {
            return record(id, header, StoredOrigin.of(header), policy);
        }

        /** A tenant as a whole. */
        public static About tenant(String tenant, Origin origin) {
            return new About(new AuditEntry.Subject(tenant, null, null, null, origin.correlationId()), origin, null, 0);
        }

        public About withFence(long value) {
            return new About(subject, origin, policy, value);
        }
    }

    /**
     * A failed attempt: which, of how many, why, and what comes next.
     *
     * @param failure the recorded one, which may be another than the judged one
     * @param inputs what the decision rested on, see {@link DecisionFields}
     */
    public record AttemptDetails(
            int number,
            int of,
            @Nullable Duration delay,
            Failure failure,
            String recovery,
            Map<String, Object> inputs) {

        public static AttemptDetails of(
                Policy policy, RetryInput input, @Nullable Duration delay, Failure failure, String recovery) {
            Map<String, Object> inputs = new DecisionFields(policy.retry(), input).write();
            return new AttemptDetails(input.attempt(), policy.retry().maxAttempts(), delay, failure, recovery, inputs);
        }
    }
}
