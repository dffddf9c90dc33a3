package dev.semel.spring;

import dev.semel.Semel;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts channels after all other beans of the context, and drains them before any other bean stops: running handlers end within
 * a time limit, and messages that have not started are returned.
 */
final class SemelLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(SemelLifecycle.class);

    private final Semel semel;
    private final ChannelMethods channels;
    private final ReconcilerMethods reconcilers;
    private final OnDeadMethods deaths;
    private final SemelProperties.Tuning tuning;
    private boolean registered;
    private volatile boolean running;

    SemelLifecycle(
            Semel semel,
            ChannelMethods channels,
            ReconcilerMethods reconcilers,
            OnDeadMethods deaths,
            SemelProperties.Tuning tuning) {
        this.semel = semel;
        this.channels = channels;
        this.reconcilers = reconcilers;
        this.deaths = deaths;
        this.tuning = tuning;
    }

    @Override
    public synchronized void start() {
        if (!registered) {
            deaths.register(semel);
            reconcilers.register(semel);
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
                    "drain timed out: channel handlers did not end within {} (semel.tuning.drain) and are interrupted;"
                            + " their messages will be redelivered when their leases expire",
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

    /** A context that is cached for the next test keeps its channels running. */
    @Override
    public boolean isPauseable() {
        return false;
    }
}
