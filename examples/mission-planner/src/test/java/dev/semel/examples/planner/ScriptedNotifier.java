package dev.semel.examples.planner;

import dev.semel.examples.planner.effects.Notifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Primary;

/** Does for an organisation what its test says, and then what the real one does. */
@Primary
class ScriptedNotifier implements Notifier {
    private final Notifier real;
    private final Map<String, IntConsumer> wills = new ConcurrentHashMap<>();
    private final Map<String, List<String>> deliveries = new ConcurrentHashMap<>();

    ScriptedNotifier(@Qualifier("notifier") Notifier real) {
        this.real = real;
    }

    /** @param will is told which call it is, from 1, and may throw */
    void when(String organisation, IntConsumer will) {
        wills.put(organisation, will);
    }

    /** The keys of all calls so far. */
    List<String> deliveries(String organisation) {
        return deliveries.computeIfAbsent(organisation, any -> new CopyOnWriteArrayList<>());
    }

    @Override
    public void tell(Note note, Delivery delivery) {
        List<String> calls = deliveries(note.organisation());
        calls.add(delivery.key());
        IntConsumer will = wills.get(note.organisation());
        if (will != null) {
            will.accept(calls.size());
        }
        real.tell(note, delivery);
    }
}
