package dev.semel.console.admin;

import dev.semel.Message;
import dev.semel.engine.Engine;
import dev.semel.operator.Operator;
import dev.semel.operator.Overviews;
import dev.semel.operator.Replays;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import java.util.function.Consumer;

/**
 * What operators look at and act on.
 *
 * @param jobs sends the first part of a replay of many to its channel, and returns when it is stored
 */
public record AdminLedger(
        Store store, Operator operator, Overviews overviews, Catalogue policies, Consumer<Message<Replays.Bulk>> jobs) {
    /** That of an engine. */
    public static AdminLedger of(Engine engine) {
        return new AdminLedger(engine.store(), engine.operator(), engine.overviews(), engine.catalogue(), message -> {
            var sent = engine.send(Replays.CHANNEL, message);
            if (!(sent instanceof dev.semel.Sent.Accepted)) {
                throw new IllegalStateException("The job was not accepted: " + sent);
            }
        });
    }
}
