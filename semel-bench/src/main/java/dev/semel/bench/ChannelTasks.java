package dev.semel.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;

/** The tasks of Semel and the other libraries, the same for all, each in an empty schema. */
final class ChannelTasks {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration QUIET = Duration.ofMillis(10);

    /** Sent ahead of what is timed, so that everything is running. */
    private static final int AHEAD = 64;

    private final String name;
    private final Opener opener;
    private final int lanes;

    @FunctionalInterface
    interface Opener {
        ComparedLibrary.Session open(LongConsumer handler) throws Exception;
    }

    /** @param lanes among which the opener's channel spreads the numbers; 0 for none */
    ChannelTasks(String name, Opener opener, int lanes) {
        this.name = name;
        this.opener = opener;
        this.lanes = lanes;
    }

    /**
     * The rate at which a backlog is drained: from the first message handled to the last, or to its record where the
     * library reports it.
     *
     * @param atMost the time limit; then the messages handled until then are measured
     */
    AlternatingRuns.RoundResult drain(int backlog, Duration atMost) throws Exception {
        HandledMessages sink = new HandledMessages(backlog, lanes);
        try (ComparedLibrary.Session session = opener.open(sink)) {
            session.load(0, backlog);
            session.start();
            if (!sink.await(1, PATIENCE)) {
                throw new IllegalStateException(name + " handled nothing of what waited for it.");
            }
            if (!sink.await(backlog, atMost)) {
                return AlternatingRuns.RoundResult.of(sink.handled(), System.nanoTime() - sink.began());
            }
            session.settle();
            AlternatingRuns.RoundResult result =
                    AlternatingRuns.RoundResult.of(backlog, System.nanoTime() - sink.began());
            verify(sink, session, backlog);
            return result;
        }
    }

    /**
     * Senders send one by one as fast as they are answered while everything is handled: from the first send to the last
     * message done.
     *
     * @param atMost how long they send, each at least once
     */
    AlternatingRuns.RoundResult endToEnd(int senders, int messages, Duration atMost) throws Exception {
        HandledMessages sink = new HandledMessages(AHEAD + messages, lanes);
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        try (ComparedLibrary.Session session = opener.open(sink)) {
            session.start();
            AtomicInteger next = new AtomicInteger();
            send(threads, senders, session, next, AHEAD, Long.MAX_VALUE);
            demand(sink.await(AHEAD, PATIENCE), sink, AHEAD);
            long began = System.nanoTime();
            send(threads, senders, session, next, AHEAD + messages, began + atMost.toNanos());
            int sent = Math.min(next.get(), AHEAD + messages);
            demand(sink.await(AHEAD + 1, PATIENCE), sink, AHEAD + 1);
            if (!sink.await(sent, atMost.multipliedBy(4).plusSeconds(5))) {
                return AlternatingRuns.RoundResult.of(sink.handled() - AHEAD, System.nanoTime() - began);
            }
            session.settle();
            AlternatingRuns.RoundResult result =
                    AlternatingRuns.RoundResult.of(sent - AHEAD, System.nanoTime() - began);
            verify(sink, session, sent);
            return result;
        } finally {
            threads.shutdownNow();
        }
    }

    private static void send(
            ExecutorService threads,
            int senders,
            ComparedLibrary.Session session,
            AtomicInteger next,
            int upTo,
            long until)
            throws Exception {
        Callable<Void> sender = () -> {
            do {
                int number = next.getAndUpdate(n -> Math.min(n + 1, upTo));
                if (number >= upTo) {
                    break;
                }
                session.send(number);
            } while (System.nanoTime() - until < 0);
            return null;
        };
        List<Callable<Void>> all = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
            all.add(sender);
        }
        for (Future<Void> each : threads.invokeAll(all)) {
            each.get();
        }
    }

    /** From the call that sends a message to its handler, when nothing else is to be done. */
    AlternatingRuns.RoundResult idle(int samples, Duration atMost) throws Exception {
        HandledMessages sink = new HandledMessages(samples + 1, lanes);
        Histogram latencies = Timing.latencies();
        try (ComparedLibrary.Session session = opener.open(sink)) {
            session.start();
            session.send(0);
            demand(sink.await(1, PATIENCE), sink, 1);
            long began = System.nanoTime();
            int sent = 1;
            while (sent <= samples && (sent == 1 || System.nanoTime() - began < atMost.toNanos())) {
                LockSupport.parkNanos(QUIET.toNanos());
                long before = System.nanoTime();
                session.send(sent++);
                demand(sink.await(sent, PATIENCE), sink, sent);
                latencies.recordValue(Math.min(sink.at() - before, latencies.getHighestTrackableValue()));
            }
            session.settle();
            verify(sink, session, sent);
            return new AlternatingRuns.RoundResult(sent - 1, System.nanoTime() - began, latencies);
        }
    }

    private void verify(HandledMessages sink, ComparedLibrary.Session session, int sent) throws Exception {
        sink.verify(name, sent);
        session.verify(sent);
    }

    private void demand(boolean handled, HandledMessages sink, int sent) {
        if (!handled) {
            throw new IllegalStateException(name + ": of " + sent + " messages only " + sink.handled()
                    + " were handled in " + PATIENCE.toMinutes() + " minutes.");
        }
    }
}
