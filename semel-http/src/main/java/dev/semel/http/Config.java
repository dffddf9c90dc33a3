package dev.semel.http;

import dev.semel.execution.GatewayRuns;
import dev.semel.time.TimeSource;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a filter was built with. */
record Config(
        GatewayRuns gatewayRuns,
        Routing routing,
        Admission admission,
        Judging judging,
        Answering answering,
        Following following) {

    /** Which rule applies to a request. */
    record Routing(RouteTable table, Hooks.@Nullable Routes application, Breakers breakers, Set<String> unmarked) {
        /** Whether this is the first time that a route answers without its mark. */
        boolean unmarked(String operation) {
            return unmarked.add(operation);
        }
    }

    /** Who may come in, and under whose keys. */
    record Admission(
            Hooks.@Nullable Origins origins,
            Hooks.@Nullable RateLimit rateLimit,
            Hooks.Scopes scopes,
            Hooks.@Nullable Authorization authorization,
            boolean quotedKeys) {}

    /** What a handler's failure means, and whether it may have left an effect. */
    record Judging(Hooks.@Nullable Exceptions exceptions, Hooks.@Nullable Effects effects) {}

    /** @param replayed names of the headers that a replay repeats */
    record Answering(Problems problems, List<String> replayed, Hooks.@Nullable Errors errors) {}

    /** How a request is followed, and who is told that it took effect. */
    record Following(Hooks.Logs logs, Supplier<String> ids, TimeSource time, Hooks.@Nullable FirstCommit firstCommit) {}
}
