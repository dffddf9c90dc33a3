package dev.semel.watch;

import dev.semel.Failure;
import dev.semel.Policy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A watch whose exceptions stay its own: watching must not change what is watched. */
public final class Guarded implements Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Guarded.class);

    private final Watch watch;
    private final AtomicBoolean warned = new AtomicBoolean();

    private Guarded(Watch watch) {
        this.watch = watch;
    }

    /** The watch, guarded; {@link Watch#NONE} stays what it is, so that nobody watching still costs nothing. */
    public static Watch of(Watch watch) {
        return watch == NONE ? NONE : new Guarded(watch);
    }

    private void quietly(Runnable told) {
        try {
            told.run();
        } catch (RuntimeException | LinkageError e) {
            if (warned.compareAndSet(false, true)) {
                LOG.warn("{} failed; continuing without it. Further failures are not logged.", watch.getClass(), e);
            }
        }
    }

    @Override
    public Trace begins(Span span) {
        Trace[] begun = {Trace.NONE};
        quietly(() -> begun[0] = watch.begins(span));
        Trace trace = begun[0];
        return trace == Trace.NONE ? trace : new GuardedTrace(trace);
    }

    @Override
    public void stands(LedgerGauges standing) {
        quietly(() -> watch.stands(standing));
    }

    @Override
    public void ended(Span span) {
        quietly(() -> watch.ended(span));
    }

    @Override
    public void notAdmitted(String operation, String tenant, String cause) {
        quietly(() -> watch.notAdmitted(operation, tenant, cause));
    }

    @Override
    public void sent(String operation, String tenant, Outcome outcome) {
        quietly(() -> watch.sent(operation, tenant, outcome));
    }

    @Override
    public void accepted(String operation, String tenant, long nanos) {
        quietly(() -> watch.accepted(operation, tenant, nanos));
    }

    @Override
    public void retries(String operation, String tenant, Policy policy, Failure.Category category) {
        quietly(() -> watch.retries(operation, tenant, policy, category));
    }

    @Override
    public void died(String operation, String tenant, Failure.Category category) {
        quietly(() -> watch.died(operation, tenant, category));
    }

    @Override
    public void unknown(String operation, String tenant) {
        quietly(() -> watch.unknown(operation, tenant));
    }

    @Override
    public void takenOver(String operation, String tenant) {
        quietly(() -> watch.takenOver(operation, tenant));
    }

    @Override
    public void ingress(String source, String answer) {
        quietly(() -> watch.ingress(source, answer));
    }

    @Override
    public void logOnly(String route, String answer) {
        quietly(() -> watch.logOnly(route, answer));
    }

    @Override
    public void purged(String tenant, int records) {
        quietly(() -> watch.purged(tenant, records));
    }

    @Override
    public void took(String store, String step, long nanos) {
        quietly(() -> watch.took(store, step, nanos));
    }

    @Override
    public void shared(String step, int size) {
        quietly(() -> watch.shared(step, size));
    }

    @Override
    public void waits(String channel, long depth, Duration oldest) {
        quietly(() -> watch.waits(channel, depth, oldest));
    }

    private final class GuardedTrace implements Trace {
        private final Trace trace;

        GuardedTrace(Trace trace) {
            this.trace = trace;
        }

        @Override
        public void enter() {
            quietly(trace::enter);
        }

        @Override
        public void leave() {
            quietly(trace::leave);
        }

        @Override
        public void ended(Span span, @Nullable Throwable thrown) {
            quietly(() -> trace.ended(span, thrown));
        }
    }
}
