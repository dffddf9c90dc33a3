package dev.semel.jdbc.fault;

import dev.semel.Channel;
import dev.semel.Policy;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.time.Duration;

/** A process that handles messages until it meets the one that ends it, or until it is killed. */
public final class PoisonedNode {
    /** The exit code of a process that handled the poison. */
    static final int POISONED = 43;

    static final String POISON = "poison";

    static final Policy POLICY = Policy.named("quick")
            .withLease(Duration.ofSeconds(2))
            .withAttemptTimeout(Duration.ofSeconds(30))
            .build();

    static final Channel.Leased<String> FREE =
            Channel.leased("free", String.class).withPolicy("quick");
    static final Channel.Leased<String> LANE =
            Channel.leased("lane", String.class).withPolicy("quick").withLane(text -> "one");
    static final Channel.Atomic<String> BOOK =
            Channel.atomic("book", String.class).withPolicy("quick");

    private PoisonedNode() {}

    static Engine open(String store) {
        return EngineSettings.on(Stores.open(store, StoreProvider.Options.DEFAULT))
                .withPolicy(POLICY)
                .open();
    }

    public static void main(String[] arguments) throws Exception {
        Engine engine = open(arguments[0]);
        engine.handle(LANE, (text, run) -> handle(text));
        engine.handle(FREE, (text, run) -> handle(text));
        engine.handle(BOOK, (text, tx) -> handle(text));
        while (System.in.read() >= 0) {
            // until whoever started it is gone
        }
        engine.close();
    }

    private static void handle(String text) {
        if (text.equals(POISON)) {
            Runtime.getRuntime().halt(POISONED);
        }
    }
}
