package dev.semel.testkit.sim;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.testkit.history.Event;
import dev.semel.time.TimeSource;
import dev.semel.worker.ExternalClaims;
import dev.semel.worker.ExternalClaims.ClaimTerms;
import dev.semel.worker.ExternalClaims.ExternalMessage;
import dev.semel.worker.ExternalClaims.MessageEnd;
import dev.semel.worker.ExternalClaims.MessageFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A worker outside all nodes, as a client of the HTTP API: it claims, renews, finishes, fails and hands back messages by requests, each to
 * any node. The node may die in the middle, and a reply may be lost: then it repeats the request at another node. It dies itself, too:
 * whoever starts in its place knows nothing of what it held. Workers of the nodes take messages of the same channels.
 */
final class ExternalWorker {
    private static final List<Channel.Leased<String>> CHANNELS =
            List.of(ChannelTraffic.LETTER, ChannelTraffic.PARCEL, ChannelTraffic.NOTICE);
    private static final int MOST_REPETITIONS = 6;

    private final Scheduler scheduler;
    private final Random random;
    private final TimeSource time;
    private final List<SimNode> nodes;
    private final SimOperations business;
    private final ChannelTraffic traffic;
    private int claims;

    /** When the newest request began: a lease that it was given lasts from then on, or longer. */
    private long asked;

    /** Until when the messages of the newest claim are surely held. */
    private long heldUntil;

    ExternalWorker(
            Scheduler scheduler, TimeSource time, List<SimNode> nodes, SimOperations business, ChannelTraffic traffic) {
        this.scheduler = scheduler;
        this.random = scheduler.random;
        this.time = time;
        this.nodes = nodes;
        this.business = business;
        this.traffic = traffic;
    }

    /** @param any whether a claim may find something */
    void work(BooleanSupplier any) {
        while (true) {
            sleep(Duration.ofMillis(50 + random.nextInt(700)));
            if (any.getAsBoolean()) {
                Channel.Leased<String> channel = CHANNELS.get(random.nextInt(CHANNELS.size()));
                handle(channel, claim(channel));
            }
        }
    }

    /** Nothing when there is nothing, or no answer has come; what was granted then comes back when its leases end. */
    private List<ExternalMessage<String>> claim(Channel.Leased<String> channel) {
        String id = random.nextInt(4) == 0 ? null : "claim-" + ++claims;
        ClaimTerms terms = new ClaimTerms(1 + random.nextInt(6), business.lease, Duration.ZERO, id);
        Function<ExternalClaims, List<ExternalMessage<String>>> asking =
                nodeClaims -> nodeClaims.claim(channel, Client.TENANT, terms);
        List<ExternalMessage<String>> granted = id == null ? request("claim", asking) : repeated("claim " + id, asking);
        if (granted == null || !granted.isEmpty() && random.nextInt(12) == 0) {
            trace(granted == null ? "gave a claim up" : "dies with what it was granted");
            return List.of();
        }
        heldUntil = asked + business.lease.toNanos();
        return granted;
    }

    /** One after the other; those behind one that was not done are no longer held. */
    private void handle(Channel.Leased<String> channel, List<ExternalMessage<String>> messages) {
        Set<String> stopped = new HashSet<>();
        for (ExternalMessage<String> message : messages) {
            String lane = message.lane();
            if (lane != null && stopped.contains(lane)) {
                continue;
            }
            boolean done = random.nextInt(12) == 0
                    ? release(channel, message)
                    : handle(channel, message, String.valueOf(message.payload()));
            if (!done && lane != null) {
                stopped.add(lane);
            }
            if (random.nextInt(30) == 0) {
                trace("dies between two messages");
                return;
            }
        }
    }

    private boolean release(Channel.Leased<String> channel, ExternalMessage<String> message) {
        repeated("release", nodeClaims -> nodeClaims.release(channel, List.of(message.run())));
        return false;
    }

    /** Whether the message was done, and that was recorded. */
    private boolean handle(Channel.Leased<String> channel, ExternalMessage<String> message, String payload) {
        RunHandle run = message.run();
        if (scheduler.nanos() >= heldUntil && !isHeld(channel, run)) {
            trace(payload + " is not begun: its lease may be over");
            return false;
        }
        traffic.started(payload, run.fence(), message.attempt());
        take();
        if (random.nextInt(3) == 0 && !renewed(channel, run)) {
            return false;
        }
        String record = ClientCall.record(payload);
        if (random.nextInt(8) == 0 && business.outside.receipt(record) == null) {
            return failed(channel, run, true);
        }
        String receipt = business.outside.deliver(
                record, new Event.Grant(run.fence(), message.attempt()), payload, traffic.place(record, run.fence()));
        take();
        if (receipt == null) {
            trace(payload + " came too late");
            return false;
        }
        if (random.nextInt(15) == 0) {
            trace("dies before it says that " + payload + " is done");
            return false;
        }
        if (random.nextInt(10) == 0) {
            return failed(channel, run, false);
        }
        List<MessageEnd> ends = repeated("finish", nodeClaims -> nodeClaims.finish(channel, List.of(run)));
        return ends != null && ends.get(0) instanceof MessageEnd.MessageDone;
    }

    /** Before a message is begun: only a renewal that was answered in time shows that it is held. */
    private boolean isHeld(Channel.Leased<String> channel, RunHandle run) {
        List<@Nullable Instant> until = renewal(channel, run);
        return until != null && until.get(0) != null && scheduler.nanos() < asked + business.lease.toNanos();
    }

    /** A message that was begun goes on without an answer about its lease: its receiver rejects what comes too late. */
    private boolean renewed(Channel.Leased<String> channel, RunHandle run) {
        List<@Nullable Instant> until = renewal(channel, run);
        return until == null || until.get(0) != null;
    }

    private @Nullable List<@Nullable Instant> renewal(Channel.Leased<String> channel, RunHandle run) {
        return request("renew", nodeClaims -> nodeClaims.renew(channel, List.of(run), business.lease));
    }

    /** @param surely whether nothing can have happened, and the worker says so */
    private boolean failed(Channel.Leased<String> channel, RunHandle run, boolean surely) {
        Failure failure = surely
                ? Failure.of(Failure.Category.CONFLICT, "not now")
                : Failure.of(Failure.Category.NETWORK, "cut off");
        MessageFailure end = new MessageFailure(run, failure, surely ? Boolean.TRUE : null);
        repeated("fail", nodeClaims -> nodeClaims.fail(channel, List.of(end)));
        return false;
    }

    /** Until there is an answer, or the worker gives up. */
    private <T> @Nullable T repeated(String what, Function<ExternalClaims, T> asking) {
        for (int i = 0; i < MOST_REPETITIONS; i++) {
            T answer = request(what, asking);
            if (answer != null) {
                return answer;
            }
            sleep(Duration.ofMillis(random.nextInt(400)));
        }
        return null;
    }

    /** One request to some node; nothing when no answer came, whatever became of it. */
    private <T> @Nullable T request(String what, Function<ExternalClaims, T> asking) {
        List<SimNode> up = new ArrayList<>(nodes);
        up.removeIf(SimNode::down);
        if (up.isEmpty()) {
            return null;
        }
        SimNode node = up.get(random.nextInt(up.size()));
        trace(what + " by " + node.name);
        asked = scheduler.nanos();
        Actor self = scheduler.current();
        NodeLifetime own = self.life;
        self.life = node.life();
        try {
            T answer = asking.apply(node.engine().externalClaims());
            scheduler.alive();
            if (random.nextInt(8) == 0) {
                trace("lost the reply");
                return null;
            }
            return answer;
        } catch (SemelException e) {
            trace(e.getClass().getSimpleName());
            return null;
        } catch (Crash died) {
            trace("lost its node");
            return null;
        } finally {
            Thread.interrupted();
            self.life = own;
        }
    }

    /** It takes its time: sometimes longer than a lease. */
    private void take() {
        if (random.nextInt(4) == 0) {
            long millis = business.lease.toMillis();
            sleep(Duration.ofMillis(random.nextInt(4) > 0 ? random.nextLong(millis / 2) : random.nextLong(millis * 3)));
        }
    }

    private void trace(String what) {
        scheduler.trace.add(scheduler.nanos(), scheduler.current().name, what);
    }

    private void sleep(Duration duration) {
        try {
            time.sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(
                    "The thread of a simulated worker was interrupted, which the simulator never does.", e);
        }
    }
}
