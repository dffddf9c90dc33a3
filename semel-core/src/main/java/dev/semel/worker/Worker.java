package dev.semel.worker;

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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves every operation that has a handler on this node and something queued. One thread claims for all of them, in turn;
 * handlers run on threads of their own, virtual ones where the runtime has them; their ends are written in batches.
 *
 * <p>It wakes when something is queued in this process or announced by another, when a retry of its own is due, and at least
 * once a second.
 */
public final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final Duration SHORTEST_POLL = Duration.ofMillis(50);
    private static final Duration LONGEST_POLL = Duration.ofSeconds(1);
    private static final Duration LISTEN = Duration.ofSeconds(5);

    /** More threads than this do not get through brief handlers any sooner. */
    private static final int FEW = Runtime.getRuntime().availableProcessors();

    private static final int WRITERS = 2;

    private final EngineServices services;
    private final TimeSource time;
    private final Finisher finisher;
    private final ChannelPauses pauses;
    private final SuspectPermit permit;
    private final Map<String, Served> desks = new ConcurrentHashMap<>();
    private final @Nullable ExecutorService handlers;
    private final @Nullable Announcer announcer;
    private final @Nullable Thread claims;
    private final @Nullable Thread listener;
    private final ReentrantLock lock = new ReentrantLock();
    private TimeSource.Gate wake;
    private volatile boolean draining;
    private volatile boolean closed;

    private long nudged;

    /** Whether a claim may be under way. Set before {@link #draining} is read, so one of the two sides sees the other. */
    private volatile boolean claiming;

    /** A desk, and when it is to be looked at again. */
    private static final class Served {
        private final ChannelConsumer<?, ?> desk;
        private final Set<Runner> runners = ConcurrentHashMap.newKeySet();
        private volatile boolean woken = true;
        private volatile long nextLook;
        private volatile Duration poll = SHORTEST_POLL;
        private long retry = Long.MAX_VALUE;

        Served(ChannelConsumer<?, ?> desk, long now) {
            this.desk = desk;
            this.nextLook = now;
        }
    }

    /** What its handlers run on; without any, whoever opened the engine calls {@link #turn}. */
    public enum Staff {
        NONE,
        PLATFORM_THREADS,
        /** Where the runtime has them. */
        VIRTUAL_THREADS
    }

    public Worker(EngineServices services, Staff staff) {
        boolean background = staff != Staff.NONE;
        this.services = services;
        this.time = services.tools().time();
        this.wake = time.gate();
        this.nudged = time.nanos();
        this.finisher = new Finisher(services.ledger(), time, background ? WRITERS : 0, this::ended);
        this.pauses = new ChannelPauses(services.store(), services.audits().events(), time);
        this.permit = new SuspectPermit(time, this::ring);
        Signals signals = services.store().signals().orElse(null);
        this.handlers = background ? Threads.handlers(staff == Staff.VIRTUAL_THREADS) : null;
        this.claims = background ? Threads.forEver("semel-claims", time, this::claimRound) : null;
        this.announcer = background && signals != null ? new Announcer(signals, time) : null;
        this.listener =
                background && signals != null ? Threads.forEver("semel-listener", time, () -> listen(signals)) : null;
        services.memory().wakeUps().onWake(this::rung);
        if (claims != null) {
            claims.start();
        }
        if (listener != null) {
            listener.start();
        }
    }

    /** Serves an operation from now on. */
    public <P, R> void serve(Registry.Known<P, R> known) {
        ChannelConsumer<P, R> desk = new ChannelConsumer<>(services, known, finisher, pauses, permit);
        desks.put(desk.name(), new Served(desk, time.nanos()));
        wake(Set.of(desk.name()));
    }

    private void rung(Set<String> operations) {
        wake(operations);
        if (announcer != null) {
            announcer.announce(operations);
        }
    }

    private void wake(Collection<String> operations) {
        boolean any = false;
        for (String operation : operations) {
            Served served = desks.get(operation);
            if (served != null) {
                served.woken = true;
                any = true;
            }
        }
        if (any) {
            ring();
        }
    }

    /** Ends are written: there is room again, and the next ones of their lanes can be claimed. */
    private void ended() {
        boolean any = false;
        for (Served served : desks.values()) {
            if (served.desk.waitsForEnds()) {
                served.woken = true;
                any = true;
            }
        }
        if (any) {
            ring();
        }
    }

    private void ring() {
        lock.lock();
        try {
            wake.open();
        } finally {
            lock.unlock();
        }
    }

    private TimeSource.Gate freshGate() {
        lock.lock();
        try {
            if (wake.isOpen()) {
                wake = time.gate();
            }
            return wake;
        } finally {
            lock.unlock();
        }
    }

    private boolean claimRound() throws InterruptedException {
        TimeSource.Gate gate = freshGate();
        long now = time.nanos();
        long next = now + LONGEST_POLL.toNanos();
        if (now - nudged >= SHORTEST_POLL.toNanos()) {
            finisher.nudge();
            nudged = now;
        }
        for (Served served : desks.values()) {
            if (served.woken || served.nextLook - now <= 0) {
                lookUnlessDraining(served);
            }
            if (!draining) {
                next = Math.min(next, served.woken ? now : served.nextLook);
                next = Math.min(next, staff(served) ? now + served.desk.brief().toNanos() : next);
            }
        }
        gate.await(Duration.ofNanos(Math.max(0, next - time.nanos())));
        return !closed;
    }

    private void lookUnlessDraining(Served served) {
        claiming = true;
        try {
            if (!draining) {
                look(served);
            }
        } finally {
            claiming = false;
        }
    }

    /** Claims until there is nothing more or no room; the runners wake us when there is room again. */
    private void look(Served served) {
        served.woken = false;
        try {
            ChannelConsumer.Round round = served.desk.claim();
            served.poll = switch (round) {
                case MORE -> {
                    served.woken = true;
                    yield SHORTEST_POLL;
                }
                case FULL -> SHORTEST_POLL;
                case NOTHING -> longer(served.poll);
            };
        } catch (RuntimeException | Error e) {
            // All desks ask the same store: when it is back, each of them begins small.
            desks.values().forEach(each -> each.desk.failed());
            served.poll = LONGEST_POLL;
            if (!closed) {
                LOG.warn("{}: nothing could be claimed; it is tried again in {}.", served.desk.name(), LONGEST_POLL, e);
            }
        }
        long now = time.nanos();
        served.retry = Math.min(served.retry <= now ? Long.MAX_VALUE : served.retry, served.desk.takeNextRetry());
        served.nextLook = Math.min(now + served.poll.toNanos(), Math.max(now, served.retry));
    }

    private static Duration longer(Duration poll) {
        Duration doubled = poll.multipliedBy(2);
        return doubled.compareTo(LONGEST_POLL) > 0 ? LONGEST_POLL : doubled;
    }

    /**
     * Sees that there are threads for what waits. Handlers that take no time are best run by few: more would only stand in each
     * other's way. So there are few beside those that are held up, and more as more are.
     *
     * @return whether to look again in a moment
     */
    private boolean staff(Served served) {
        int waiting = served.desk.waiting();
        if (handlers == null || waiting == 0) {
            return false;
        }
        int most = served.desk.concurrency();
        long brief = time.nanos() - served.desk.brief().toNanos();
        int heldUp = (int)
                served.runners.stream().filter(runner -> runner.isHeldUp(brief)).count();
        int wanted = Math.min(most, Math.min(served.runners.size() + waiting, FEW + 2 * heldUp));
        while (served.runners.size() < wanted) {
            Runner runner = new Runner(served);
            served.runners.add(runner);
            try {
                handlers.execute(OwnThreads.working(runner));
            } catch (RejectedExecutionException e) {
                served.runners.remove(runner);
                return false;
            } catch (RuntimeException | Error e) {
                served.runners.remove(runner);
                LOG.warn(
                        "{}: no thread could be had for a handler; those that are there go on.", served.desk.name(), e);
                return false;
            }
        }
        return served.runners.size() < most;
    }

    /** Runs what waits on a handler's thread until nothing does. */
    private final class Runner implements Runnable {
        private final Served served;
        private volatile long since = time.nanos();

        Runner(Served served) {
            this.served = served;
        }

        boolean isHeldUp(long brief) {
            return since - brief < 0;
        }

        @Override
        public void run() {
            try {
                while (!draining && served.desk.runSome()) {
                    since = time.nanos();
                    if (served.desk.runsLow()) {
                        rouse();
                    }
                }
            } catch (RuntimeException | Error e) {
                Threads.told("A handler's thread of " + served.desk.name(), e);
            } finally {
                served.runners.remove(this);
                rouse();
            }
        }

        private void rouse() {
            if (!served.woken) {
                served.woken = true;
                ring();
            }
        }
    }

    private boolean listen(Signals signals) throws InterruptedException {
        try {
            wake(signals.await(LISTEN));
        } catch (RuntimeException e) {
            LOG.debug("Announcements of other nodes cannot be heard at the moment; polling goes on.", e);
            time.sleep(LONGEST_POLL);
        }
        return !closed;
    }

    /**
     * Does one round for every operation on this thread: claims once, runs all that was claimed, writes what it left.
     *
     * @return whether anything was there to do
     */
    public boolean turn() {
        boolean any = false;
        for (Served served : desks.values()) {
            if (draining) {
                continue;
            }
            ChannelConsumer.Round round = served.desk.claim();
            any |= round == ChannelConsumer.Round.MORE;
            while (served.desk.runSome()) {
                any = true;
            }
        }
        return any;
    }

    /** Claims nothing more, hands back what has not begun, and waits for what has; says whether it ended in time. */
    public boolean drain(Duration bound) {
        draining = true;
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
        draining = false;
        desks.values().forEach(served -> served.woken = true);
        ring();
    }

    private void handBack() {
        desks.values().forEach(served -> served.desk.handBack());
    }

    /** Asked in this order: what a claim brought is held before the claim is over. */
    private boolean holdsSomething() {
        return claiming || held() > 0;
    }

    private int held() {
        return desks.values().stream().mapToInt(served -> served.desk.held()).sum();
    }

    /** The operations that are served here. */
    public Set<String> serving() {
        return new HashSet<>(desks.keySet());
    }

    /** Interrupts what still runs and writes what it leaves. What cannot be written is delivered again after its lease. */
    @Override
    public void close() {
        draining = true;
        closed = true;
        ring();
        handBack();
        if (handlers != null) {
            handlers.shutdownNow();
            Threads.await(handlers, Duration.ofSeconds(5));
        }
        services.store().signals().ifPresent(Signals::close);
        Threads.end(claims);
        handBack();
        Threads.end(listener);
        if (announcer != null) {
            announcer.close();
        }
        finisher.close();
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
