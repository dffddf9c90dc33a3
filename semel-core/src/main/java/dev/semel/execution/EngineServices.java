package dev.semel.execution;

import dev.semel.audit.Events;
import dev.semel.audit.ReplayBuffer;
import dev.semel.key.ValueCodec;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.time.TimeSource;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;
import java.util.random.RandomGenerator;

/** What every run needs, put together once by the engine. */
public record EngineServices(
        Store store, Tools tools, GroupedLedger ledger, Audits audits, CurrentModes modes, Memory memory) {

    /** Clock, chance, encoding, policies, and who is told what happens. */
    public record Tools(TimeSource time, RandomGenerator random, ValueCodec codec, Catalogue catalogue, Watch watch) {}

    /** @param each whether replays and conflicts are written before they are answered */
    public record Audits(Events events, ReplayBuffer buffer, boolean each) {}

    /** What this process remembers: runs under way, results, leases, and whom to wake when there is work. */
    public record Memory(InFlightCalls inFlight, ResultCache results, LeaseKeeper keeper, LocalWakeUps wakeUps) {}

    TimeSource time() {
        return tools.time();
    }

    Watch watch() {
        return tools.watch();
    }

    Span begin(String operation, String tenant) {
        return Span.begin(tools.watch(), tools.time(), operation, tenant);
    }
}
