package dev.semel.jdbc.fault;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Policy;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.testkit.history.Event;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A message of a fleet.
 *
 * @param row one after another by one sender, each sent once the one before it was accepted
 * @param ordered whether the row is a lane
 * @param number its place in the row
 */
record FleetMessage(String row, boolean ordered, long number) {
    static final Duration LEASE = Duration.ofSeconds(1);

    /** Never dead, however often its holder is killed. */
    static final Policy POLICY = Policy.named("fleet")
            .withMaxAttempts(10_000)
            .withLease(LEASE)
            .withDelays(Duration.ofMillis(10))
            .build();

    /** The handler writes a row into the ledger's own database. */
    static final Channel.Atomic<FleetMessage> BOOK =
            Channel.atomic("book", FleetMessage.class).withPolicy("fleet").withLane(FleetMessage::lane);

    /** The handler calls a receiver that checks keys and fences. */
    static final Channel.Leased<FleetMessage> CALL =
            Channel.leased("call", FleetMessage.class).withPolicy("fleet").withLane(FleetMessage::lane);

    static Channel<FleetMessage> channel(String name) {
        return name.equals(BOOK.name()) ? BOOK : CALL;
    }

    @Nullable
    String lane() {
        return ordered ? row : null;
    }

    String key() {
        return row + "-" + number;
    }

    String record(Channel<FleetMessage> channel) {
        return channel.name() + "/" + key();
    }

    byte[] payload() {
        return WorkKind.bytes(toString());
    }

    ReceiverDatabase.Delivery delivery(Channel<FleetMessage> channel, Event.Grant grant) {
        Event.Place place = ordered ? new Event.Place(row, number) : null;
        return new ReceiverDatabase.Delivery(record(channel), toString(), grant, place);
    }

    Message<FleetMessage> message() {
        return Message.of(WorkKind.TENANT, Key.of(key()), this);
    }

    static List<FleetMessage> row(String row, boolean ordered, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(number -> new FleetMessage(row, ordered, number))
                .toList();
    }

    /** Of a record by its name. */
    static RecordId id(String record) {
        String[] parts = record.split("/", 2);
        return Identity.of(WorkKind.TENANT, parts[0], Key.of(parts[1])).id();
    }
}
