package dev.semel.spring;

import dev.semel.Semel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Begins to handle channels when everything else of the context has started, and drains before anything else stops: what is
 * being handled ends within a bound, and what has not begun is handed back.
 */
final class SemelLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(SemelLifecycle.class);

    private final Semel semel;
    private final ChannelMethods channels;
    private final SemelProperties.Tuning tuning;
    private boolean registered;
    private volatile boolean running;

    SemelLifecycle(Semel semel, ChannelMethods channels, SemelProperties.Tuning tuning) {
        this.semel = semel;
        this.channels = channels;
        this.tuning = tuning;
    }

    @Override
    public synchronized void start() {
        if (!registered) {
            channels.register(semel, tuning.concurrency());
            registered = true;
        }
        if (semel instanceof SpringSemel spring) {
            spring.start();
        }
        running = true;
    }

    @Override
    public synchronized void stop() {
        running = false;
        if (!semel.drain(tuning.drain())) {
            LOG.warn(
                    "Handlers of channels did not end within {} (semel.tuning.drain) and are interrupted; their messages are"
                            + " delivered again when their leases are over.",
                    shown(tuning.drain()));
        }
    }

    private static String shown(Duration bound) {
        return bound.toMillis() + " ms";
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A context that is kept for the next test goes on handling. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
