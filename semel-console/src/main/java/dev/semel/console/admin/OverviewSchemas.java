package dev.semel.console.admin;

import static dev.semel.console.rest.Field.bool;
import static dev.semel.console.rest.Field.integer;
import static dev.semel.console.rest.Field.map;
import static dev.semel.console.rest.Field.number;
import static dev.semel.console.rest.Field.object;
import static dev.semel.console.rest.Field.objects;
import static dev.semel.console.rest.Field.string;
import static dev.semel.console.rest.Field.time;

import dev.semel.console.rest.Field;
import dev.semel.console.rest.ObjectSchema;
import java.util.List;
import java.util.stream.Stream;

/** The objects of the overview. */
final class OverviewSchemas {
    private static final List<Field> DURATIONS = List.of(
            number("p50_ms", "Half of the calls took less, in milliseconds, within a factor of two."),
            number("p99_ms", "99 of 100 calls took less, likewise."),
            number("ack_p50_ms", "Half of the acknowledgements took less, likewise."),
            number("ack_p99_ms", "99 of 100 acknowledgements took less, likewise."));

    static final List<ObjectSchema> ALL = List.of(
            ObjectSchema.of(
                    "Overview",
                    time("now", "When it was read.").always(),
                    string("window", "hour, day or week.").always(),
                    integer("step_seconds", "How long one point of a series is.")
                            .always(),
                    integer("points", "How many points a series has; the last one is not over.")
                            .always(),
                    time("from", "When the first point begins.").always(),
                    string("tenant", "Whose figures these are; left out for all."),
                    objects("attention", "OverviewAttention", "What needs a person, the most urgent first.")
                            .always(),
                    object("totals", "OverviewTotals", "Of all operations, in the window.")
                            .always(),
                    map(
                                    "series",
                                    "Point by point, of all operations together: p50_ms, p99_ms, ack_p50_ms and"
                                            + " ack_p99_ms, null where nothing was measured; waiting and oldest_due_ms,"
                                            + " the highest that was seen, of all tenants only. What has no value is left"
                                            + " out.")
                            .always(),
                    objects("operations", "OverviewOperation", "The busiest first, 200 at most.")
                            .always(),
                    time("history_since", "When the oldest figures begin; left out when there are none."),
                    objects(
                            "program",
                            "OverviewFigure",
                            "What the program in which this server runs counts itself; left out when it counts nothing, and for"
                                    + " people of one tenant.")),
            ObjectSchema.of(
                    "OverviewFigure",
                    string("name", "What is counted.").always(),
                    string("value", "As it is to be shown.").always(),
                    string("note", "What it means; may be empty.").always(),
                    string("tone", "plain, warn or bad.").always()),
            ObjectSchema.of(
                    "OverviewAttention",
                    string(
                                    "kind",
                                    "unknown, parked_lane, dead_letters, halted, old_lease, paused, breaker_open or shadow.")
                            .always(),
                    string("severity", "high or medium.").always(),
                    string("sentence", "What it is.").always(),
                    integer("count", "How many.").always(),
                    bool("at_least", "Whether there may be more, because not all were counted.")
                            .always(),
                    map("filter", "Which records to list: state, operation, tenant.")
                            .always()),
            new ObjectSchema(
                    "OverviewTotals",
                    with(
                            integer("calls", "Calls, sends and deliveries.").always(),
                            integer("executed", "Ran and succeeded.").always(),
                            integer("replayed", "Got a stored result.").always(),
                            integer("duplicates", "Messages that were there already.")
                                    .always(),
                            integer("conflicts", "Same key, other payload.").always(),
                            integer("failed", "Failed for good.").always(),
                            integer("rejected", "Not valid.").always(),
                            integer("unknown", "Records that became UNKNOWN.").always(),
                            integer("errors", "Ended with an exception for the caller.")
                                    .always(),
                            integer("retries", "Failed attempts that another one followed.")
                                    .always(),
                            integer("dead_letters", "Records that became dead letters.")
                                    .always(),
                            integer("takeovers", "Records that were granted again after their lease.")
                                    .always(),
                            integer("not_admitted", "Held back by a rate limit or a breaker.")
                                    .always(),
                            integer("acknowledged", "Messages that were acknowledged as durable.")
                                    .always()),
                    false),
            new ObjectSchema(
                    "OverviewOperation",
                    with(
                            string("name", "Its name; empty for those that are counted together.")
                                    .always(),
                            string("kind", "channel or operation.").always(),
                            integer("calls", "In the window.").always(),
                            map("series", "Counts point by point; those that are all zero are left out.")
                                    .always(),
                            integer("depth", "How many messages wait.").always(),
                            bool("depth_at_least", "Whether more may wait, because not all were counted.")
                                    .always(),
                            integer("oldest_age_seconds", "How long the oldest has been due; left out when none is."),
                            integer("parked_lanes", "Lanes that are held up.").always(),
                            string("mode", "LIVE, SHADOW or HALTED.").always(),
                            object("paused", "OverviewPause", "Left out when it is not paused.")),
                    false),
            ObjectSchema.of(
                    "OverviewPause",
                    string("reason", "Why; left out for people of one tenant."),
                    time("since", "When it was paused.").always(),
                    string("tenant", "For which tenant; left out for all.")));

    private OverviewSchemas() {}

    private static List<Field> with(Field... fields) {
        return Stream.concat(Stream.of(fields), DURATIONS.stream()).toList();
    }
}
