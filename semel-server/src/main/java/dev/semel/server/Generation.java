package dev.semel.server;

import dev.semel.SemelException;
import dev.semel.console.admin.ServerActions.ReloadResult;
import dev.semel.server.config.ServerConfig;
import dev.semel.server.session.LoginState;
import dev.semel.time.TimeSource;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What serves requests under one configuration, from the moment it is taken into use until the next one is. A reload opens a new
 * generation beside the present one: the ledger keeps both apart as it keeps two nodes apart, so nothing stops meanwhile.
 */
final class Generation {
    private static final Logger LOG = LoggerFactory.getLogger(Generation.class);
    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);
    private static final int MOST_REQUESTS = Integer.MAX_VALUE;

    private final ServerConfig config;
    private final LoginState logins;
    private final GenerationActions actions;
    private final boolean delivers;
    private final Deliveries deliveries = new Deliveries();
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Semaphore requests = new Semaphore(MOST_REQUESTS);
    private final TimeSource.Gate retired = TimeSource.system().gate();
    private volatile @Nullable OpenLedger ledger;
    private @Nullable Thread opener;

    /**
     * @param logins of the process, which outlive this generation
     * @param embedding what the program adds
     * @param reload reads the configuration file again and takes it into use
     */
    Generation(ServerConfig config, LoginState logins, Embedding embedding, Supplier<ReloadResult> reload) {
        this.config = config;
        this.logins = logins;
        this.actions = new GenerationActions(config, reload, this::ledger, embedding.figures());
        this.delivers = embedding.delivers();
    }

    ServerConfig config() {
        return config;
    }

    /** In the format of Prometheus. */
    String metrics() {
        return meters.scrape();
    }

    /** Null while the store has not been reached yet. */
    @Nullable
    OpenLedger ledger() {
        return ledger;
    }

    /**
     * Opens the ledger.
     *
     * @throws SemelException.Misconfigured when its store cannot serve
     * @throws SemelException.StoreUnavailable when its store cannot be reached
     */
    void open() {
        OpenLedger opened = OpenLedger.of(
                config, delivers ? deliveries : null, meters, new OpenLedger.OperatorParts(logins, actions));
        ledger = opened;
        if (retired.isOpen()) {
            opened.close();
        }
    }

    /** Opens the ledger, in the background if its store cannot be reached yet. */
    void openWhenReachable() {
        try {
            open();
        } catch (SemelException.StoreUnavailable e) {
            LOG.warn(
                    "The store is unavailable ({}). Requests are answered with 503 until it can be reached; retrying.",
                    e.getMessage());
            Thread thread = new Thread(this::openAgain, "semel-open");
            thread.setDaemon(true);
            opener = thread;
            thread.start();
        }
    }

    private void openAgain() {
        Duration pause = SHORTEST_PAUSE;
        try {
            while (ledger == null && !retired.await(pause)) {
                try {
                    open();
                    LOG.info("The store can be reached; the server is ready.");
                } catch (RuntimeException e) {
                    pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
                    LOG.warn("Opening the store failed ({}); retrying in {} s.", e.getMessage(), pause.toSeconds());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether a request may use this generation; if so, {@link #leave} must follow. */
    boolean enter() {
        return requests.tryAcquire();
    }

    void leave() {
        requests.release();
    }

    /** Nothing more is claimed: messages under way end, and what has not begun is handed back. Webhooks are still accepted. */
    void stopClaiming() {
        OpenLedger opened = ledger;
        if (opened != null) {
            opened.drain(Duration.ZERO);
        }
    }

    /**
     * Lets the requests and deliveries under way end, and closes the ledger. Claiming ends first: from now on others do that.
     *
     * @return whether all of them ended within the bound
     */
    boolean retire(Duration bound) throws InterruptedException {
        long deadline = System.nanoTime() + bound.toNanos();
        retired.open();
        stopClaiming();
        try {
            if (opener != null) {
                opener.join(Math.max(1, left(deadline).toMillis()));
            }
            boolean answered = requests.tryAcquire(MOST_REQUESTS, left(deadline).toNanos(), TimeUnit.NANOSECONDS);
            OpenLedger opened = ledger;
            return (opened == null || opened.drain(left(deadline))) && answered;
        } finally {
            OpenLedger opened = ledger;
            if (opened != null) {
                opened.close();
            }
            deliveries.close();
            meters.close();
        }
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
    }
}
