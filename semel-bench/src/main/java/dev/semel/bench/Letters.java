package dev.semel.bench;

import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages that are measured: as small as the ledger's payloads, and with keys that are used once. */
final class Letters {
    /** @param lane the key of its lane; absent when it follows nobody */
    record Letter(String item, int number, @Nullable String lane) {}

    static final Channel.Leased<Letter> FREE = Channel.leased("bench-letters", Letter.class);
    static final Channel.Leased<Letter> IN_LANES = FREE.withLane(Letter::lane);
    static final Channel.Atomic<Letter> ATOMIC = Channel.atomic("bench-atomic-letters", Letter.class);

    private Letters() {}

    /** @param lanes number n goes to lane n modulo so many; 0 for none */
    static Message<Letter> message(int number, int lanes) {
        String lane = lanes == 0 ? null : "lane-" + number % lanes;
        return Message.of(Work.TENANT, Key.of(Work.key()), new Letter("book", number, lane));
    }

    static List<Message<Letter>> messages(int from, int count, int lanes) {
        List<Message<Letter>> messages = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            messages.add(message(from + i, lanes));
        }
        return messages;
    }
}
