package dev.semel.testkit.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The events of one record by kind, each with its place in the order of the whole run. */
final class RecordHistory {
    final String record;
    final List<Call> calls = new ArrayList<>();
    final List<Event.Delivered> deliveries = new ArrayList<>();
    final List<Event.Audited> audited = new ArrayList<>();
    final List<Event.Left> left = new ArrayList<>();
    private final Map<String, Call> open = new LinkedHashMap<>();

    RecordHistory(String record) {
        this.record = record;
    }

    void add(int index, Event event) {
        if (event instanceof Event.Invoked invoked) {
            Call call = new Call(index, invoked);
            calls.add(call);
            open.put(name(event, invoked.call()), call);
        } else if (event instanceof Event.Started started) {
            Call call = open.get(name(event, started.call()));
            if (call != null) {
                call.starts.add(new Start(index, started));
            }
        } else if (event instanceof Event.Ended ended) {
            Call call = open.remove(name(event, ended.call()));
            if (call == null) {
                throw new IllegalArgumentException("A call ended that was not invoked: " + ended);
            }
            call.end(index, ended);
        } else if (event instanceof Event.Delivered delivered) {
            deliveries.add(delivered);
        } else if (event instanceof Event.Audited told) {
            audited.add(told);
        } else if (event instanceof Event.Left last) {
            left.add(last);
        }
    }

    List<Event.Delivered> applied() {
        return deliveries.stream()
                .filter(delivery -> delivery.reception() == Event.Reception.APPLIED)
                .toList();
    }

    /** Whether the key may have been made new again between this run of a call and the call's end. */
    boolean forgottenSince(Start start, Call call) {
        return calls.stream()
                .anyMatch(other ->
                        other.ending() == Event.Ending.FORGOTTEN && other.to > start.index() && other.from < call.to);
    }

    private static String name(Event event, long call) {
        return event.stamp().process() + "/" + call;
    }

    record Start(int index, Event.Started event) {}

    /** One call; without an end it is unknown until the end of time. */
    static final class Call {
        final int from;
        final Event.Invoked invoked;
        final List<Start> starts = new ArrayList<>();
        int to = Integer.MAX_VALUE;
        Event.@Nullable Ended ended;

        Call(int from, Event.Invoked invoked) {
            this.from = from;
            this.invoked = invoked;
        }

        private void end(int index, Event.Ended event) {
            ended = event;
            if (event.ending() != Event.Ending.UNKNOWN) {
                to = index;
            }
        }

        Event.Ending ending() {
            return ended == null ? Event.Ending.UNKNOWN : ended.ending();
        }

        @Nullable
        String result() {
            return ended == null ? null : ended.result();
        }

        boolean acknowledged() {
            return ending().acknowledges();
        }

        /** Its description in a violation. */
        Event shown() {
            return ended == null ? invoked : ended;
        }
    }
}
