package dev.semel.bench;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages that are measured: as small as the ledger's payloads, and with keys that are used once. */
final class BenchMessages {
    /** @param lane the key of its lane; absent when it follows nobody */
    record BenchMessage(String item, int number, @Nullable String lane) {}

    static final Channel.Leased<BenchMessage> FREE = Channel.leased("bench-messages", BenchMessage.class);
    static final Channel.Leased<BenchMessage> IN_LANES = FREE.withLane(BenchMessage::lane);
    static final Channel.Atomic<BenchMessage> ATOMIC = Channel.atomic("bench-atomic-messages", BenchMessage.class);

    private BenchMessages() {}

    /** @param lanes number n goes to lane n modulo so many; 0 for none */
    static Message<BenchMessage> message(int number, int lanes) {
        String lane = lanes == 0 ? null : "lane-" + number % lanes;
        return Message.of(Work.TENANT, Key.of(Work.key()), new BenchMessage("book", number, lane));
    }

    static List<Message<BenchMessage>> messages(int from, int count, int lanes) {
        List<Message<BenchMessage>> messages = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            messages.add(message(from + i, lanes));
        }
        return messages;
    }
}
