package dev.semel.watch;

import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.engine.Engine;
import dev.semel.time.ManualTime;
import java.time.Duration;

/**
 * Everything that can be watched, under keys that begin with the same words.
 *
 * @param other another node, for what needs one
 */
record Scenario(Engine engine, Engine other, ManualTime time, String words) {
    void play() {
        engine.handle(WatchFixture.MAIL, (payload, run) -> {
            throw WatchFixture.failing(Failure.Category.VALIDATION);
        });
        engine.handle(WatchFixture.POST, (payload, tx) -> {});
        calls();
        engine.run(WatchFixture.NOTIFY, of("b", "payload"), (payload, run) -> {
            if (run.attempt() < 3) {
                throw WatchFixture.failing(Failure.Category.NETWORK);
            }
            return "done";
        });
        engine.run(WatchFixture.REFUND, of("c", "payload"), (payload, run) -> {
            throw new IllegalStateException("who knows");
        });
        other.run(WatchFixture.NOTIFY, of("d", "payload"), (payload, run) -> {
            time.advance(WatchFixture.LEASE.multipliedBy(2));
            engine.run(WatchFixture.NOTIFY, of("d", "payload"), (given, again) -> "taken over");
            return "late";
        });
        for (int times = 0; times < 2; times++) {
            engine.run(WatchFixture.LIMITED, of("g", "payload"), (payload, run) -> "done");
        }
        engine.send(WatchFixture.MAIL, Message.of(WatchFixture.ACME, Key.of(words + "e"), "payload"));
        engine.send(WatchFixture.POST, Message.of(WatchFixture.ACME, Key.of(words + "f"), "payload"));
        engine.gatewayRuns().logOnly("POST /orders", "replayed");
        engine.gatewayRuns().ingress("stripe", "accepted");
        engine.duties().backlogs().look();
        WatchFixture.work(engine);
        time.advance(Duration.ofDays(40));
        engine.duties().purger().purge();
    }

    /** Executed, replayed, in conflict. */
    void calls() {
        call("payload");
        call("payload");
        call("other");
    }

    private void call(String payload) {
        engine.run(WatchFixture.CHARGE, of("a", payload), (given, tx) -> "done");
    }

    private Call<String> of(String key, String payload) {
        return Call.of(WatchFixture.ACME, Key.of(words + key), payload);
    }
}
