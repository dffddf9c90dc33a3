package dev.semel.watch;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call as an observation. Tags with few values also go to metrics (low cardinality): operation, answer, cache hit,
 * and the tenant if enabled. The other tags only go to the trace.
 */
final class ObservedCall implements Watch.Trace {
    private final Observation observation;
    private Observation.@Nullable Scope scope;

    ObservedCall(ObservationRegistry registry, Span span, boolean tenants) {
        observation = Observation.createNotStarted("semel.operation", registry)
                .contextualName("semel " + span.operation())
                .lowCardinalityKeyValue("operation", span.operation());
        if (tenants) {
            observation.lowCardinalityKeyValue("tenant", span.tenant());
        }
        observation.start();
    }

    @Override
    public void enter() {
        scope = observation.openScope();
    }

    @Override
    public void leave() {
        if (scope != null) {
            scope.close();
            scope = null;
        }
    }

    @Override
    public void ended(Span span, @Nullable Throwable thrown) {
        observation.lowCardinalityKeyValue(
                "answer", Objects.requireNonNull(span.outcome()).code());
        observation.lowCardinalityKeyValue("cache.hit", String.valueOf(span.hit()));
        if (span.keyHash() != null) {
            observation.highCardinalityKeyValue(KeyValue.of("key.hash", span.keyHash()));
        }
        if (span.attempt() > 0) {
            observation.highCardinalityKeyValue("attempt", String.valueOf(span.attempt()));
        }
        if (span.fence() > 0) {
            observation.highCardinalityKeyValue("fence", String.valueOf(span.fence()));
        }
        if (span.kept() != null) {
            observation.highCardinalityKeyValue("ttl", span.kept().toString());
        }
        if (thrown != null) {
            observation.error(thrown);
        }
        observation.stop();
    }
}
