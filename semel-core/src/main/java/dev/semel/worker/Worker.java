package dev.semel.worker;

import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.SemelException;
import dev.semel.execution.EngineServices;
import dev.semel.store.Signals;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves every operation that has a handler on this node: starts and stops the threads, and passes wake-ups on. {@link ClaimLoop}
 * claims for all channels in turn; handlers run on threads of their own, virtual ones where the runtime has them;
 * {@link ResultWriter} writes their results in batches. Thread-safe.
 *
 * <p>A channel is claimed from when something is queued in this process or announced by another, when a retry that this node
 * knows of is due, and at least once a second.
 */
public final class Worker implements AutoCloseable {
    private static final int RESULT_WRITERS = 2;

    private final EngineServices services;
    private final TimeSource time;
    private final Map<String, ChannelConsumer<?, ?>> channels = new ConcurrentHashMap<>();
    private final ResultWriter results;
    private final ClaimLoop claims;
    private final ChannelPauses pauses;
    private final SuspectPermit permit;
    private final PayloadBudget payloads = PayloadBudget.ofHeap();
    private final @Nullable ExecutorService handlers;
    private final @Nullable RemoteWakeUps remote;
    private final ClaimWaiters waiters;

    /** The threads of its handlers; without threads, the caller runs {@link #turn}. */
    public enum ThreadKind {
        NONE,
        PLATFORM,
        /** Where the runtime has them. */
        VIRTUAL
    }

    public Worker(EngineServices services, ThreadKind threads) {
        boolean background = threads != ThreadKind.NONE;
        this.services = services;
        this.time = services.tools().time();
        this.results = new ResultWriter(services.ledger(), time, background ? RESULT_WRITERS : 0, this::resultsWritten);
        this.claims = new ClaimLoop(time, channels.values(), results, background);
        this.pauses = new ChannelPauses(services.store(), services.audits().events(), time);
        this.permit = new SuspectPermit(time, claims::wake);
        this.waiters = new ClaimWaiters(time);
        this.handlers = background ? DaemonThreads.handlers(threads == ThreadKind.VIRTUAL) : null;
        Signals signals = services.store().signals().orElse(null);
        this.remote = background && signals != null ? new RemoteWakeUps(signals, time, this::wake) : null;
        services.memory().wakeUps().onWake(this::wakeAndAnnounce);
        claims.start();
        if (remote != null) {
            remote.start();
        }
    }

    private void resultsWritten() {
        claims.resultsWritten();
    }

    /** Serves an operation from now on. */
    public <P, R> void serve(Registry.RegisteredOperation<P, R> known) {
        Policy policy = services.preparation().policy(known.operation().definition());
        ChannelContext<P, R> context = new ChannelContext<>(services, known, policy, results, pauses, permit);
        channels.put(context.name(), new ChannelConsumer<>(context, claims, handlers, payloads));
        wake(Set.of(context.name()));
    }

    /** Something was queued in this process. */
    private void wakeAndAnnounce(Set<String> operations) {
        wake(operations);
        if (remote != null) {
            remote.announce(operations);
        }
    }

    private void wake(Collection<String> operations) {
        waiters.wake(operations);
        boolean any = false;
        for (String operation : operations) {
            ChannelConsumer<?, ?> channel = channels.get(operation);
            if (channel != null) {
                channel.schedule().wake();
                any = true;
            }
        }
        if (any) {
            claims.wake();
        }
    }

    /**
     * Does one round for every operation on this thread: claims once, runs all that was claimed, writes the results.
     *
     * @return whether anything was there to do
     */
    public boolean turn() {
        boolean any = false;
        for (ChannelConsumer<?, ?> channel : channels.values()) {
            if (claims.isDraining()) {
                continue;
            }
            any |= channel.claim() == ClaimOutcome.MORE;
            while (channel.runNext()) {
                any = true;
            }
        }
        return any;
    }

    /** Claims nothing more, hands back what has not begun, and waits for what has; says whether it ended in time. */
    public boolean drain(Duration bound) {
        claims.drain();
        waiters.drain();
        long until = time.nanos() + bound.toNanos();
        handBack();
        boolean holds = holdsSomething();
        while (holds && time.nanos() - until < 0) {
            try {
                time.sleep(Duration.ofMillis(5));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
            handBack();
            holds = holdsSomething();
        }
        return !holds;
    }

    /** Claims again after a drain. */
    public void resume() {
        claims.resume();
        waiters.resume();
    }

    private void handBack() {
        channels.values().forEach(ChannelConsumer::handBack);
    }

    /** Checked in this order: claimed records are held before the claim is over. */
    private boolean holdsSomething() {
        return claims.isClaiming() || held() > 0;
    }

    private int held() {
        return channels.values().stream().mapToInt(ChannelConsumer::held).sum();
    }

    /**
     * Messages that are handled outside this process.
     *
     * @param seen receives each operation, so that its expired leases are looked after
     */
    public ExternalClaims externalClaims(Consumer<Operation<?, ?>> seen) {
        return new ExternalClaims(services, seen, waiters);
    }

    /** The operations that are served here. */
    public Set<String> serving() {
        return new HashSet<>(channels.keySet());
    }

    /**
     * Interrupts running handlers and writes their results. A message whose result cannot be written is redelivered
     * when its lease expires.
     */
    @Override
    public void close() {
        claims.stop();
        waiters.drain();
        if (remote != null) {
            remote.stop();
        }
        handBack();
        if (handlers != null) {
            handlers.shutdownNow();
            DaemonThreads.await(handlers, Duration.ofSeconds(5));
        }
        services.store().signals().ifPresent(Signals::close);
        claims.join();
        handBack();
        if (remote != null) {
            remote.close();
        }
        results.close();
    }

    /** For a refusal at the front door. */
    public void demandQueue() {
        if (services.store().queue().isEmpty()) {
            throw new SemelException.Invalid("The store " + services.store().name()
                    + " keeps no work for later, so channels cannot be handled on it. Use sqlite:<file> or"
                    + " postgresql://...");
        }
    }
}
