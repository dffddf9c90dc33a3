package dev.semel.console.admin;

import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.LiveEvents;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.ActivitySeries;
import dev.semel.operator.Overview;
import dev.semel.operator.Overview.Attention;
import dev.semel.operator.Overview.OperationActivity;
import dev.semel.operator.OverviewWindow;
import dev.semel.store.ActivityCounts;
import dev.semel.store.Switchboard.Pause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What happened lately, how things stand, and what needs a person. */
final class OverviewResource {
    private static final double HALF = 0.5;
    private static final double NEARLY_ALL = 0.99;

    private final AdminLedger ledger;
    private final ServerActions server;

    OverviewResource(AdminLedger ledger, ServerActions server) {
        this.ledger = ledger;
        this.server = server;
    }

    /** Which overview somebody asks for. */
    private record OverviewChoice(
            OverviewWindow window,
            @Nullable String tenant,
            @Nullable String operation,
            TenantSight sight) {
        static OverviewChoice of(AdminCall call) throws ApiProblem {
            return new OverviewChoice(
                    call.constant("window", OverviewWindow.class).orElse(OverviewWindow.HOUR),
                    call.tenant(),
                    call.operation("operation"),
                    call.sight());
        }

        Map<String, Object> facts(Overview overview) {
            return OverviewResource.facts(operation == null ? overview : overview.only(operation), sight);
        }
    }

    private Overview read(OverviewChoice choice) {
        return ledger.overviews().of(choice.window(), choice.tenant());
    }

    AdminReply show(AdminCall call) throws ApiProblem {
        OverviewChoice choice = OverviewChoice.of(call);
        return new OneObject(facts(choice, read(choice)));
    }

    /** As {@link #show}, now and each time that it was read anew. */
    AdminReply live(AdminCall call) throws ApiProblem {
        OverviewChoice choice = OverviewChoice.of(call);
        return new LiveEvents(
                new OverviewFollower(() -> read(choice), () -> figures(choice), overview -> facts(choice, overview)));
    }

    /** They may be of all tenants. */
    private List<ProgramFigure> figures(OverviewChoice choice) {
        return choice.sight().seesAll() ? server.figures() : List.of();
    }

    private Map<String, Object> facts(OverviewChoice choice, Overview overview) {
        Map<String, Object> facts = choice.facts(overview);
        List<ProgramFigure> figures = figures(choice);
        if (!figures.isEmpty()) {
            facts.put("program", figures.stream().map(OverviewResource::facts).toList());
        }
        return facts;
    }

    /** Whoever belongs to one tenant is not told what operators wrote. */
    private static Map<String, Object> facts(Overview overview, TenantSight sight) {
        OverviewWindow window = overview.scope().window();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("now", overview.now().toString());
        facts.put("window", window.code());
        facts.put("step_seconds", window.step().toSeconds());
        facts.put("points", window.points());
        facts.put("from", overview.scope().from().toString());
        putIfPresent(facts, "tenant", overview.scope().tenant());
        facts.put(
                "attention",
                overview.attention().stream().map(OverviewResource::facts).toList());
        facts.put("totals", totals(overview.totals()));
        facts.put("series", latenciesAndWaiting(overview));
        facts.put(
                "operations",
                overview.operations().stream().map(each -> facts(each, sight)).toList());
        overview.historySince().ifPresent(since -> facts.put("history_since", since.toString()));
        return facts;
    }

    private static Map<String, Object> facts(ProgramFigure figure) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", figure.name());
        facts.put("value", figure.value());
        facts.put("note", figure.note());
        facts.put("tone", figure.tone().name().toLowerCase(Locale.ROOT));
        return facts;
    }

    private static Map<String, Object> facts(Attention attention) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("kind", attention.kind().name().toLowerCase(Locale.ROOT));
        facts.put("severity", attention.kind().isUrgent() ? "high" : "medium");
        facts.put("sentence", attention.sentence());
        facts.put("count", attention.count());
        facts.put("at_least", attention.atLeast());
        facts.put("filter", attention.filter());
        return facts;
    }

    private static Map<String, Object> totals(ActivityCounts counts) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("calls", ActivitySeries.calls(counts));
        facts.put("executed", counts.of("executed"));
        facts.put("replayed", counts.of("replayed"));
        facts.put("duplicates", counts.of("duplicate"));
        facts.put("conflicts", counts.of("conflict"));
        facts.put("failed", counts.of("failed"));
        facts.put("rejected", counts.of("rejected"));
        facts.put("unknown", counts.of("became_unknown"));
        facts.put("errors", counts.of("error"));
        facts.put("retries", counts.of("retries"));
        facts.put("dead_letters", counts.of("dead_letters"));
        facts.put("takeovers", counts.of("takeovers"));
        facts.put("not_admitted", counts.of("not_admitted"));
        facts.put("acknowledged", ActivitySeries.acknowledged(counts));
        putDurations(facts, counts);
        return facts;
    }

    private static void putDurations(Map<String, Object> facts, ActivityCounts counts) {
        putIfPresent(facts, "p50_ms", ActivitySeries.callMillis(counts, HALF));
        putIfPresent(facts, "p99_ms", ActivitySeries.callMillis(counts, NEARLY_ALL));
        putIfPresent(facts, "ack_p50_ms", ActivitySeries.ackMillis(counts, HALF));
        putIfPresent(facts, "ack_p99_ms", ActivitySeries.ackMillis(counts, NEARLY_ALL));
    }

    /** What cannot be added up over operations by whoever reads it. */
    private static Map<String, Object> latenciesAndWaiting(Overview overview) {
        ActivitySeries history = overview.history();
        Map<String, Object> series = new LinkedHashMap<>();
        putIfAny(series, "p50_ms", history.callMillis(HALF));
        putIfAny(series, "p99_ms", history.callMillis(NEARLY_ALL));
        putIfAny(series, "ack_p50_ms", history.ackMillis(HALF));
        putIfAny(series, "ack_p99_ms", history.ackMillis(NEARLY_ALL));
        putUnlessZero(series, "waiting", overview.waiting());
        putUnlessZero(series, "oldest_due_ms", history.dueMillis());
        return series;
    }

    /** A point without calls has no duration. */
    private static void putIfAny(Map<String, Object> facts, String name, List<OptionalDouble> points) {
        if (points.stream().anyMatch(OptionalDouble::isPresent)) {
            List<Object> values = new ArrayList<>();
            points.forEach(each -> values.add(each.isPresent() ? (Object) each.getAsDouble() : null));
            facts.put(name, values);
        }
    }

    private static Map<String, Object> facts(OperationActivity activity, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("name", activity.name());
        facts.put("kind", activity.channel() ? "channel" : "operation");
        facts.put("calls", ActivitySeries.calls(activity.history().totals()));
        facts.put("series", series(activity.history()));
        putDurations(facts, activity.history().totals());
        facts.put("depth", activity.waiting().depth());
        facts.put("depth_at_least", !activity.waiting().complete());
        if (activity.waiting().oldestDueMillis() >= 0) {
            facts.put("oldest_age_seconds", activity.waiting().oldestDueMillis() / 1_000);
        }
        facts.put("parked_lanes", activity.waiting().parkedLanes());
        facts.put("mode", activity.mode().name());
        Pause pause = activity.pause();
        if (pause != null) {
            facts.put("paused", facts(pause, sight));
        }
        return facts;
    }

    private static Map<String, Object> series(ActivitySeries history) {
        Map<String, Object> series = new LinkedHashMap<>();
        putUnlessZero(series, "calls", history.calls());
        for (String name : new String[] {"executed", "replayed", "failed", "retries", "dead_letters"}) {
            putUnlessZero(series, name, history.points(name));
        }
        putUnlessZero(series, "acknowledged", history.acknowledged());
        return series;
    }

    private static Map<String, Object> facts(Pause pause, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        if (sight.seesAll()) {
            facts.put("reason", pause.reason());
        }
        facts.put("since", Instant.ofEpochMilli(pause.since()).toString());
        putIfPresent(facts, "tenant", pause.tenant());
        return facts;
    }

    private static void putUnlessZero(Map<String, Object> facts, String name, long[] points) {
        if (Arrays.stream(points).anyMatch(count -> count != 0)) {
            facts.put(name, Arrays.stream(points).boxed().toList());
        }
    }

    private static void putIfPresent(Map<String, Object> facts, String name, @Nullable String value) {
        if (value != null) {
            facts.put(name, value);
        }
    }

    private static void putIfPresent(Map<String, Object> facts, String name, OptionalDouble value) {
        value.ifPresent(number -> facts.put(name, number));
    }
}
