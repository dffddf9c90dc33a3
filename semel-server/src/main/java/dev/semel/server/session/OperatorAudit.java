package dev.semel.server.session;

import dev.semel.Call;
import dev.semel.console.access.Person;
import dev.semel.http.shared.RequestIds;
import dev.semel.operator.AccessEvents;
import dev.semel.operator.AccessEvents.Denial;
import dev.semel.server.access.ClientNetwork;
import dev.semel.time.TimeSource;
import dev.semel.worker.Housekeeper;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes logins and denied requests to the audit. Logins are written before anybody is let in. Denied requests are counted by second,
 * reason, person and address, and written behind the caller's back: at most {@link #MOST_A_SECOND} events a second say what they are
 * about, further requests of that second are one count. Thread-safe.
 */
public final class OperatorAudit implements AutoCloseable {
    static final int MOST_A_SECOND = 10;

    /** Counts that wait for the store; further ones are one count. */
    static final int MOST_WAITING = 600;

    private static final Logger LOG = LoggerFactory.getLogger(OperatorAudit.class);
    private static final String SEVERAL = "several";
    private static final Duration PACE = Duration.ofSeconds(1);

    private final AccessEvents events;
    private final TimeSource time;
    private final Map<DeniedRequests, CountedDenials> waiting = new LinkedHashMap<>();
    private final Housekeeper writer;
    private long second;
    private int detailed;

    /** @param second 0 for those of several seconds */
    private record DeniedRequests(
            long second, String reason, @Nullable String person, String address) {}

    private record CountedDenials(Call.Origin origin, long count) {}

    /** To be started. */
    public OperatorAudit(AccessEvents events) {
        this(events, TimeSource.system());
    }

    OperatorAudit(AccessEvents events, TimeSource time) {
        this.events = events;
        this.time = time;
        this.writer = new Housekeeper(
                "semel-denied",
                time,
                List.of(Housekeeper.Duty.every(PACE, "write denied requests", () -> flush(false))));
    }

    /** From now on a thread writes the counts, until this is closed. */
    public void start() {
        writer.start();
    }

    /** @throws dev.semel.SemelException.StoreUnavailable when it cannot be written; nobody may be let in then */
    void login(HttpServletRequest request, Login login) {
        Person person = login.person();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("method", login.method());
        details.put("role", person.role().code());
        details.put("address", request.getRemoteAddr());
        String tenant = person.tenant() == null ? null : person.tenant().name();
        events.login(tenant, origin(request, person), details);
    }

    /**
     * A request of an operator, or of somebody who wants to be one, was denied.
     *
     * @param person null when the credentials were not accepted
     * @param reason one of few, without anything of the request
     */
    public void denied(HttpServletRequest request, @Nullable Person person, String reason) {
        long now = time.millis() / 1_000;
        String name = person == null ? null : person.name();
        DeniedRequests exact = new DeniedRequests(now, reason, name, ClientNetwork.of(request.getRemoteAddr()));
        Call.Origin origin = origin(request, person);
        synchronized (waiting) {
            if (now != second) {
                second = now;
                detailed = 0;
            }
            DeniedRequests kept = exact;
            if (!waiting.containsKey(exact)) {
                boolean full = waiting.size() >= MOST_WAITING;
                kept = full || detailed >= MOST_A_SECOND
                        ? new DeniedRequests(full ? 0 : now, SEVERAL, null, SEVERAL)
                        : exact;
                detailed++;
            }
            waiting.merge(
                    kept,
                    new CountedDenials(kept == exact ? origin : unstated(), 1),
                    (known, one) -> new CountedDenials(known.origin, known.count + one.count));
        }
    }

    private static Call.Origin unstated() {
        return Call.Origin.UNSTATED.withSource("server");
    }

    private static Call.Origin origin(HttpServletRequest request, @Nullable Person person) {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        Call.Origin origin = unstated().withCorrelationId(ids.correlation()).withRequestId(ids.request());
        return person == null ? origin : origin.withActor(person.name(), "operator");
    }

    /** Writes the counts of past seconds, or all of them. Those that cannot be written are kept. */
    void flush(boolean all) {
        long now = time.millis() / 1_000;
        Map<DeniedRequests, CountedDenials> taken = new LinkedHashMap<>();
        synchronized (waiting) {
            waiting.entrySet().removeIf(each -> {
                boolean take = all || each.getKey().second != now;
                if (take) {
                    taken.put(each.getKey(), each.getValue());
                }
                return take;
            });
        }
        if (taken.isEmpty()) {
            return;
        }
        List<Denial> denials = new ArrayList<>();
        taken.forEach(
                (what, counted) -> denials.add(new Denial(counted.origin, what.reason, what.address, counted.count)));
        try {
            events.denied(denials);
        } catch (RuntimeException e) {
            synchronized (waiting) {
                taken.forEach((what, counted) -> waiting.merge(
                        what, counted, (known, back) -> new CountedDenials(known.origin, known.count + back.count)));
            }
            throw e;
        }
    }

    int waiting() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    @Override
    public void close() {
        writer.close();
        try {
            flush(true);
        } catch (RuntimeException e) {
            LOG.warn(
                    "Could not write {} counts of denied requests to the audit while closing; they are lost.",
                    waiting(),
                    e);
        }
    }
}
