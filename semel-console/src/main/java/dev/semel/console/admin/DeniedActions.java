package dev.semel.console.admin;

import dev.semel.SemelException;
import dev.semel.audit.EventType;
import dev.semel.console.access.Person;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.time.TimeSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes denied actions of known people into the audit. The first of a person, action and minute is written at once. Further ones of that
 * minute are counted, and the count is written when the minute is over: with the next request of any operator, or when this is closed.
 * So a loop of denied requests writes two events a minute. Thread-safe.
 */
final class DeniedActions implements AutoCloseable {
    /** Counts that are kept at a time; a further one has the oldest written early. */
    static final int MOST = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(DeniedActions.class);
    private static final long MINUTE = 60_000;

    private final Operator operator;
    private final TimeSource time;
    private final Map<DeniedAction, CountedMinute> minutes = new LinkedHashMap<>();

    private record DeniedAction(@Nullable String tenant, String actor, String action) {}

    /** @param further denied behind the first one */
    private record CountedMinute(long began, String reason, long further) {}

    private record CountedDenial(DeniedAction what, String reason, long count) {}

    DeniedActions(Operator operator, TimeSource time) {
        this.operator = operator;
        this.time = time;
    }

    /** Somebody may not do this. */
    void denied(Person person, String action, String reason) {
        String tenant = person.tenant() == null ? null : person.tenant().name();
        DeniedAction what = new DeniedAction(tenant, person.actor(), action);
        List<CountedDenial> events;
        synchronized (minutes) {
            events = takeOver(time.millis());
            CountedMinute known = minutes.get(what);
            if (known != null) {
                minutes.put(what, new CountedMinute(known.began, known.reason, known.further + 1));
            } else {
                events.addAll(makeRoom());
                minutes.put(what, new CountedMinute(time.millis(), reason, 0));
                events.add(new CountedDenial(what, reason, 1));
            }
        }
        write(events);
    }

    /** Writes the counts of minutes that are over. */
    void flush() {
        List<CountedDenial> events;
        synchronized (minutes) {
            events = minutes.isEmpty() ? List.of() : takeOver(time.millis());
        }
        write(events);
    }

    private List<CountedDenial> takeOver(long now) {
        List<CountedDenial> events = new ArrayList<>();
        minutes.entrySet().removeIf(each -> {
            boolean over = Math.abs(now - each.getValue().began) >= MINUTE;
            if (over) {
                add(each, events);
            }
            return over;
        });
        return events;
    }

    private List<CountedDenial> makeRoom() {
        List<CountedDenial> events = new ArrayList<>();
        Iterator<Map.Entry<DeniedAction, CountedMinute>> oldestFirst =
                minutes.entrySet().iterator();
        while (minutes.size() >= MOST && oldestFirst.hasNext()) {
            add(oldestFirst.next(), events);
            oldestFirst.remove();
        }
        return events;
    }

    private static void add(Map.Entry<DeniedAction, CountedMinute> counted, List<CountedDenial> events) {
        CountedMinute minute = counted.getValue();
        if (minute.further > 0) {
            events.add(new CountedDenial(counted.getKey(), minute.reason, minute.further));
        }
    }

    private void write(List<CountedDenial> events) {
        for (CountedDenial each : events) {
            try {
                operator.audit(
                        EventType.OPERATOR_DENIED,
                        each.what.tenant,
                        new Warrant(each.what.actor, each.reason),
                        Map.of("action", each.what.action, "count", each.count));
            } catch (SemelException e) {
                LOG.warn(
                        "Could not write {} denied requests of {} ({}) to the audit.",
                        each.count,
                        each.what.actor,
                        each.what.action,
                        e);
            }
        }
    }

    /** Writes all counts. */
    @Override
    public void close() {
        List<CountedDenial> events = new ArrayList<>();
        synchronized (minutes) {
            minutes.entrySet().forEach(each -> add(each, events));
            minutes.clear();
        }
        write(events);
    }
}
