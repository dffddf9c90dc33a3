package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.audit.Events;
import dev.semel.audit.FirstRun;
import dev.semel.audit.ReplayBuffer;
import dev.semel.key.ValueCodec;
import dev.semel.policy.Catalogue;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import dev.semel.time.TimeSource;
import dev.semel.watch.Span;
import dev.semel.watch.Watch;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The services that every run needs, assembled once by the engine. */
public record EngineServices(
        Store store, Tools tools, GroupedLedger ledger, Audits audits, CurrentModes modes, Memory memory) {

    /** Clock, random numbers, encoding, policies, and the watch. */
    public record Tools(TimeSource time, RandomGenerator random, ValueCodec codec, Catalogue catalogue, Watch watch) {}

    /** @param each whether replays and conflicts are written before they are answered */
    public record Audits(Events events, ReplayBuffer buffer, boolean each) {}

    /** The state of this process: running calls, results, leases, and the channels to wake when there is work. */
    public record Memory(
            InFlightCalls inFlight,
            ResultCache results,
            DuplicateShares duplicates,
            LeaseKeeper keeper,
            LocalWakeUps wakeUps) {
        /** A result is final: waiting duplicates and later callers of this process may have it. */
        void committed(PreparedCall<?, ?> prepared, InFlightCalls.Leader leader, byte @Nullable [] result, long fence) {
            committed(
                    prepared,
                    leader,
                    result,
                    fence,
                    prepared.policy().retention().success());
        }

        /** @param keep for how long the record keeps it */
        void committed(
                PreparedCall<?, ?> prepared,
                InFlightCalls.Leader leader,
                byte @Nullable [] result,
                long fence,
                Duration keep) {
            FirstRun first = FirstRun.of(prepared.header(), fence);
            CommittedResult committed = new CommittedResult(prepared.header().fingerprint(), result, first);
            leader.committed(committed);
            results.put(prepared.id(), committed, keep);
        }
    }

    /** @throws SemelException.Misconfigured when the store cannot run an application's writes in its own transactions */
    Transactions transactions() {
        return store.transactions()
                .orElseThrow(() -> new SemelException.Misconfigured(
                        "store " + store.name(),
                        List.of(
                                "it cannot commit the application's writes together with its own, which an atomic operation"
                                        + " needs: use a leased operation, or a SQL store")));
    }

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
