package dev.semel.http;

import dev.semel.execution.GatewayRuns;
import dev.semel.time.TimeSource;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The settings and collaborators of a filter. */
record FilterSetup(
        GatewayRuns gatewayRuns,
        Routing routing,
        Admission admission,
        Failures failures,
        Responses responses,
        Tracking tracking) {

    /** Which rule applies to a request. */
    record Routing(
            RouteTable table,
            Hooks.@Nullable Routes application,
            Hooks.@Nullable RequestRules changes,
            RouteBreakers breakers,
            Set<String> unmarked) {
        RouteTable.Match match(HttpServletRequest request) {
            RouteTable.Match match = table.match(request, application);
            return changes == null ? match : match.withRule(changes.of(request, match.rule()));
        }

        /** Whether this is the first response of a route without a mark. */
        boolean unmarked(String operation) {
            return unmarked.add(operation);
        }
    }

    /** Checks before a request runs, and the scope of its key. */
    record Admission(
            Hooks.@Nullable Origins origins,
            Hooks.@Nullable RateLimit rateLimit,
            Hooks.Scopes scopes,
            Hooks.@Nullable Authorization authorization,
            boolean quotedKeys) {}

    /** Hooks that classify a handler's failure and observe its effects. */
    record Failures(Hooks.@Nullable Exceptions exceptions, Hooks.@Nullable Effects effects) {}

    /** @param replayed names of the headers that a replay repeats */
    record Responses(Problems problems, List<String> replayed, Hooks.@Nullable Errors errors) {
        /** Null when it is not served. */
        @Nullable
        StatusResource status() {
            return problems.resource();
        }
    }

    /** Logging, ids, time and the callback after the first commit. */
    record Tracking(Hooks.Logs logs, Supplier<String> ids, TimeSource time, Hooks.@Nullable FirstCommit firstCommit) {}
}
