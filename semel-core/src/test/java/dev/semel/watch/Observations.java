package dev.semel.watch;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The finished observations, in the order of their end. */
final class Observations implements ObservationHandler<Observation.Context> {
    /** One observation that has ended. */
    record Seen(String name, Map<String, String> low, Map<String, String> high, boolean failed) {}

    final ObservationRegistry registry = ObservationRegistry.create();
    final List<Seen> seen = new ArrayList<>();
    private int open;

    Observations() {
        registry.observationConfig().observationHandler(this);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }

    @Override
    public void onStart(Observation.Context context) {
        open++;
    }

    @Override
    public void onStop(Observation.Context context) {
        open--;
        seen.add(new Seen(
                context.getName(),
                values(context.getLowCardinalityKeyValues()),
                values(context.getHighCardinalityKeyValues()),
                context.getError() != null));
    }

    /** How many have begun and not ended. */
    int open() {
        return open;
    }

    private static Map<String, String> values(Iterable<KeyValue> all) {
        Map<String, String> values = new TreeMap<>();
        all.forEach(each -> values.put(each.getKey(), each.getValue()));
        return values;
    }
}
