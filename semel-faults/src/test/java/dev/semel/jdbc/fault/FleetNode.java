package dev.semel.jdbc.fault;

import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Semel;
import dev.semel.engine.EngineSettings;
import dev.semel.testkit.history.Event;
import dev.semel.testkit.history.Event.Grant;
import dev.semel.testkit.history.History;
import dev.semel.time.TimeSource;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A node that handles parcels, in a process of its own or in the test's. As a process it writes a byte when its first handler
 * begins, and ends in good order at the end of its input and at SIGTERM: with 0 if all that it held was done or handed back.
 */
public final class FleetNode implements AutoCloseable {
    static final Duration DRAIN = Duration.ofSeconds(20);
    static final int HANDLERS = 4;
    private static final Channel.Capacity CAPACITY = Channel.Capacity.of(HANDLERS);

    private final Order order;
    private final Channel<FleetMessage> channel;
    private final History history;
    private final ReceiverDatabase outside;
    private final ClaimRecordingStore claims;
    private final Semel semel;
    private final Runnable onBegin;
    private final AtomicLong calls = new AtomicLong();

    /** @param channel its name */
    record Order(RunDatabases place, Path history, String process, String channel, FleetBug slip) {
        static Order of(String... arguments) {
            return new Order(
                    new RunDatabases(arguments[0], arguments[1], arguments[2]),
                    Path.of(arguments[3]),
                    arguments[4],
                    arguments[5],
                    FleetBug.valueOf(arguments[6]));
        }

        List<String> arguments() {
            return List.of(
                    place.store(), place.effects(), place.outside(), history.toString(), process, channel, slip.name());
        }
    }

    /** @param onBegin called before each handler */
    FleetNode(Order order, Runnable onBegin) throws IOException, SQLException {
        this.order = order;
        this.onBegin = onBegin;
        this.channel = FleetMessage.channel(order.channel());
        this.history = History.toFile(order.process(), TimeSource.system(), order.history());
        this.outside = new ReceiverDatabase(order.place());
        this.claims = new ClaimRecordingStore(order.place().open(), order.channel(), order.slip());
        this.semel = EngineSettings.on(claims)
                .withPolicy(FleetMessage.POLICY)
                .withPolicy(WorkKind.POLICY)
                .open();
        if (channel instanceof Channel.Atomic<FleetMessage> atomic) {
            semel.handle(atomic, CAPACITY, (parcel, tx) -> {
                onBegin.run();
                order.slip().deliver(tx.connection(), order.place(), parcel.delivery(channel, Grant.NONE));
            });
        } else {
            semel.handle((Channel.Leased<FleetMessage>) channel, CAPACITY, this::call);
        }
    }

    /** Written down as a call that was made before the claim, because the grant lies between the two. */
    private void call(FleetMessage parcel, LeasedContext run) throws Exception {
        String record = parcel.record(channel);
        long number = calls.incrementAndGet();
        long asked = claims.asked(run.downstreamKey(), run.fence());
        history.append(stamp -> new Event.Invoked(
                new Event.Stamp(stamp.process(), asked), record, number, History.hash(parcel.payload())));
        history.start(record, number, run.fence(), run.attempt());
        onBegin.run();
        Grant grant = new Grant(run.fence(), run.attempt());
        order.slip().deliver(outside, parcel.delivery(channel, grant));
    }

    ClaimRecordingStore claims() {
        return claims;
    }

    boolean drain() {
        return semel.drain(DRAIN);
    }

    @Override
    public void close() throws IOException, SQLException {
        semel.close();
        outside.close();
        history.close();
    }

    public static void main(String[] arguments) throws Exception {
        AtomicBoolean begun = new AtomicBoolean();
        FleetNode carrier = new FleetNode(Order.of(arguments), () -> {
            if (begun.compareAndSet(false, true)) {
                System.out.write(1);
                System.out.flush();
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            boolean drained = false;
            if (carrier.order.slip() == FleetBug.ENDS_AT_ONCE) {
                Runtime.getRuntime().halt(0);
            }
            try (carrier) {
                drained = carrier.drain();
            } catch (IOException | SQLException e) {
                e.printStackTrace();
                drained = false;
            } finally {
                Runtime.getRuntime().halt(drained ? 0 : 1);
            }
        }));
        while (System.in.read() >= 0) {
            // until whoever started it has no more to say
        }
        System.exit(0);
    }
}
