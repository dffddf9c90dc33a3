package dev.semel.worker;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One channel as this node serves it. It only holds together what serves it: the schedule and the claimer (when and how much to
 * claim), the buffer (what waits), the handler threads and the runner (what runs), and the completion (what has a result).
 */
final class ChannelConsumer<P, R> {
    private final ChannelContext<P, R> context;
    private final ClaimSchedule schedule;
    private final ClaimWindow window;
    private final ClaimedBuffer<P, R> buffer;
    private final DeliveryCompletion<P, R> completion;
    private final Claimer<P, R> claimer;
    private final AssignmentRunner<P, R> runner;
    private final HandlerThreads handlers;

    /**
     * @param claims woken when there may be more to claim
     * @param executor starts the handler threads; without one, somebody else calls {@link #runNext}
     * @param budget of all channels of the node
     */
    ChannelConsumer(ChannelContext<P, R> context, ClaimLoop claims, @Nullable Executor executor, PayloadBudget budget) {
        ReceiverProtection receiver = ReceiverProtection.of(context);
        this.context = context;
        this.schedule = new ClaimSchedule(context.time().nanos());
        this.window = new ClaimWindow(context.capacity().concurrency(), new LargePayloads(budget));
        this.buffer = new ClaimedBuffer<>(context.capacity().perTenant());
        this.completion = new DeliveryCompletion<>(context, window, buffer, schedule);
        this.claimer = new Claimer<>(
                context, receiver, window, buffer, new BufferFiller<>(context, window, buffer, completion), schedule);
        this.runner = new AssignmentRunner<>(context, receiver, window, buffer, completion);
        this.handlers = new HandlerThreads(context, runner, schedule, claims, executor);
    }

    String name() {
        return context.name();
    }

    ClaimSchedule schedule() {
        return schedule;
    }

    HandlerThreads handlers() {
        return handlers;
    }

    /** Claims what there is room for, on this thread. One thread claims at a time. */
    ClaimOutcome claim() {
        handBackSuspectsThatWaitedTooLong();
        return claimer.claim();
    }

    /** Other nodes may be free although this one is busy, and they cannot take over records that are renewed here. */
    private void handBackSuspectsThatWaitedTooLong() {
        long before = context.time().nanos() - context.policy().limits().lease().toNanos();
        buffer.takeSuspectsBefore(before).forEach(completion::handBackToOthers);
    }

    /** Runs the next assignment on this thread; says whether there was one that may begin. */
    boolean runNext() {
        return runner.runNext(() -> true);
    }

    /** Hands back what has not begun. */
    void handBack() {
        buffer.takeAll().forEach(completion::handBack);
    }

    /** Records that this node holds: waiting, running, or without a written result. */
    int held() {
        return window.held();
    }

    /** Whether a claim may bring more once results are written. */
    boolean waitsForResults() {
        return claimer.waitsForResults();
    }

    /** The store could not be reached. */
    void storeFailed() {
        window.reset();
    }
}
