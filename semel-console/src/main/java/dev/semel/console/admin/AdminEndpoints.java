package dev.semel.console.admin;

import static dev.semel.console.rest.Endpoint.EndpointInput.query;

import dev.semel.console.access.Role;
import dev.semel.console.admin.AdminEndpoint.AdminHandler;
import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Endpoint.EndpointInput;
import dev.semel.console.rest.Endpoint.EndpointOutput;
import dev.semel.console.rest.EndpointTable;
import dev.semel.console.rest.Field;
import dev.semel.console.rest.RequestBody;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The endpoints for operators: requests are dispatched by this table, and the OpenAPI document is made of it. */
public final class AdminEndpoints {
    private static final Field TENANT = Field.string("tenant", "Only this tenant.");
    private static final Field OPERATION = Field.string("operation", "Only this operation or channel.");
    private static final Field CATEGORY =
            Field.string("category", "Only failures of this category, such as network or timeout.");
    private static final Field EXCEPTION =
            Field.string("exception", "Only failures with this exception: its class name, or the end of it.");
    private static final Field LIMIT = Field.integer("limit", "How many; 1 to 200, 50 if left out.");
    private static final Field CURSOR = Field.string("cursor", "\"next\" of the page before.");
    private static final Field SINCE = Field.time("since", "Only events from this time on.");
    private static final Field UNTIL = Field.time("until", "Only events before this time.");
    private static final Field TYPE = Field.string("type", "Only events of this type, such as system.error.");
    private static final Field WINDOW = Field.string("window", "How far back: 15m, 1h, 7d; 1h if left out.");
    private static final Field OVERVIEW_WINDOW = Field.string("window", "hour, day or week; hour if left out.");
    private static final Field REASON =
            Field.string("reason", "Why, for the audit.").always();
    private static final Field EVEN_IF_UNKNOWN =
            Field.bool("even_if_unknown", "Accept a name of which the ledger has no record.");
    private static final Field UNKNOWN = Field.bool(
            "unknown", "Also messages with an unknown outcome: their effects may be repeated; false if left out.");

    private static final List<AdminEndpoint> RECORDS = List.of(
            get(
                    "/records",
                    "Lists records, those first that may need a person.",
                    query(
                            TENANT,
                            OPERATION,
                            Field.string("state", "Only these states, with commas between them."),
                            CATEGORY,
                            Field.integer("min_attempts", "Only those that were tried at least so often."),
                            Field.string(
                                    "overdue_for",
                                    "Only those that have been due, expired or UNKNOWN for at least so long, such as 1h."),
                            Field.string("lane", "Only messages of this lane."),
                            Field.string("correlation_id", "Only those of this correlation id; with tenant."),
                            Field.string("key", "Only the one of this key; with tenant and operation."),
                            Field.string("id", "Only those whose id begins with these digits."),
                            LIMIT,
                            CURSOR),
                    "RecordPage",
                    (all, call) -> all.records().list(call)),
            get(
                    "/records/{record}",
                    "Shows a record. Payload and result need the role operator, or that viewers may see them; likely secrets"
                            + " are masked.",
                    query(),
                    "Record",
                    (all, call) -> all.records().show(call)),
            get(
                    "/records/{record}/explanation",
                    "Explains why a record is not done, and what to do.",
                    query(),
                    "Explanation",
                    (all, call) -> all.records().explain(call)),
            get(
                    "/records/{record}/story",
                    "The newest 200 audit events of a record, oldest first.",
                    query(),
                    "Story",
                    (all, call) -> all.records().story(call)),
            get(
                    "/records/{record}/tree",
                    "A record with its steps and the messages that it sent.",
                    query(),
                    "RecordTree",
                    (all, call) -> all.records().tree(call)),
            get(
                    "/status",
                    "Where a call or message stands, as its caller is told.",
                    query(
                            TENANT,
                            OPERATION,
                            Field.string("key", "Its key; with tenant and operation."),
                            Field.string("record", "Its id or the first digits of it, in place of the key.")),
                    "OperatorStatus",
                    (all, call) -> all.records().status(call)),
            get(
                    "/correlation",
                    "All calls and messages that one correlation id caused.",
                    query(
                            TENANT,
                            Field.string("correlation_id", "As in an answer or a log.")
                                    .always()),
                    "CorrelatedCalls",
                    (all, call) -> all.records().correlation(call)),
            get(
                    "/shadow",
                    "Compares what SHADOW would have sent with what was really sent.",
                    query(TENANT, OPERATION, Field.bool("differences", "Only those that are not the same."), LIMIT),
                    "ShadowComparison",
                    ReportLimit.limited((all, call) -> all.records().shadow(call))),
            post(
                    Role.OPERATOR,
                    "/records/{record}/replay",
                    "Replays a record. Twice is once.",
                    EndpointInput.body(REASON),
                    "RecordAction",
                    (all, call) -> all.actions().replay(call)),
            post(
                    Role.OPERATOR,
                    "/records/{record}/discard",
                    "Discards a dead letter; its lane continues.",
                    EndpointInput.body(REASON),
                    "RecordAction",
                    (all, call) -> all.actions().discard(call)),
            post(
                    Role.OPERATOR,
                    "/records/{record}/resolve",
                    "Decides about a record that is UNKNOWN: it is closed, or runs again.",
                    EndpointInput.body(
                            REASON,
                            Field.string("outcome", "took_effect: it is closed. no_effect: it runs again.")
                                    .always()),
                    "RecordAction",
                    (all, call) -> all.actions().resolve(call)),
            post(
                    Role.OPERATOR,
                    "/records/{record}/cancel",
                    "Cancels a call or message that has not started; its lane continues.",
                    EndpointInput.body(REASON),
                    "Cancellation",
                    (all, call) -> all.actions().cancel(call)),
            post(
                    Role.ADMIN,
                    "/forget",
                    "Removes the record of a key, so that the next call runs again.",
                    EndpointInput.body(
                            REASON,
                            Field.string("tenant", "The tenant.").always(),
                            Field.string("operation", "The operation or channel.")
                                    .always(),
                            Field.string("key", "The key.").always()),
                    "Forgotten",
                    (all, call) -> all.actions().forget(call)));

    private static final List<AdminEndpoint> DEAD = List.of(
            get(
                    "/dead",
                    "Lists messages with an unknown outcome, then dead letters; of each the newest first.",
                    query(TENANT, OPERATION, CATEGORY, EXCEPTION, LIMIT, CURSOR),
                    "RecordPage",
                    (all, call) -> all.dead().letters().list(call)),
            get(
                    "/dead/groups",
                    "Counts dead letters and UNKNOWN messages by what went wrong, the most frequent first.",
                    query(TENANT, OPERATION, CATEGORY, EXCEPTION),
                    "CauseGroups",
                    (all, call) -> all.dead().letters().groups(call)),
            get(
                    "/dead/preview",
                    "What a replay of many would include.",
                    query(TENANT, OPERATION, CATEGORY, EXCEPTION, UNKNOWN),
                    "ReplayPreview",
                    ReportLimit.limited((all, call) -> all.dead().letters().preview(call))),
            new AdminEndpoint(
                    new Endpoint(
                            "POST",
                            "/admin/dead/replays",
                            "Starts a replay of many: a job that running nodes execute.",
                            EndpointInput.body(
                                    REASON,
                                    TENANT,
                                    OPERATION,
                                    CATEGORY,
                                    EXCEPTION,
                                    Field.bool("all", "All dead letters, in place of a selection."),
                                    UNKNOWN,
                                    Field.integer("rate", "Most replays a second; 0 or left out for no limit.")),
                            EndpointOutput.accepted("JobStarted")),
                    Role.OPERATOR,
                    ReportLimit.limited((all, call) -> all.dead().jobs().start(call))),
            get(
                    "/dead/replays/{job}",
                    "The progress of a replay of many.",
                    query(),
                    "JobProgress",
                    (all, call) -> all.dead().jobs().progress(call)),
            post(
                    Role.OPERATOR,
                    "/dead/replays/{job}/resume",
                    "Continues a replay of many whose job has failed.",
                    EndpointInput.body(REASON),
                    "JobProgress",
                    (all, call) -> all.dead().jobs().resume(call)),
            post(
                    Role.OPERATOR,
                    "/dead/replays/pause",
                    "Pauses all replays of many, on all nodes.",
                    EndpointInput.body(REASON),
                    "JobsSwitched",
                    (all, call) -> all.dead().jobs().pauseAll(call)),
            post(
                    Role.OPERATOR,
                    "/dead/replays/resume",
                    "Resumes the replays of many that were paused.",
                    EndpointInput.body(REASON),
                    "JobsSwitched",
                    (all, call) -> all.dead().jobs().resumeAll(call)));

    private static final List<AdminEndpoint> CHANNELS = List.of(
            get(
                    "/channels",
                    "Channels with waiting, running, parked or UNKNOWN messages, and paused ones.",
                    query(),
                    "Channels",
                    (all, call) -> all.channels().list(call)),
            post(
                    Role.OPERATOR,
                    "/channels/pause",
                    "Pauses a channel on all nodes within a second. It still accepts messages.",
                    EndpointInput.body(
                            REASON,
                            Field.string("channel", "The channel.").always(),
                            Field.string("tenant", "Only this tenant's messages; all if left out."),
                            EVEN_IF_UNKNOWN),
                    "ChannelSwitched",
                    (all, call) -> all.channels().pause(call)),
            post(
                    Role.OPERATOR,
                    "/channels/resume",
                    "Resumes a paused channel.",
                    EndpointInput.body(
                            REASON,
                            Field.string("channel", "The channel.").always(),
                            Field.string("tenant", "Ends the pause of this tenant; that of all if left out.")),
                    "ChannelSwitched",
                    (all, call) -> all.channels().resume(call)),
            get(
                    "/modes",
                    "The modes and pauses that are set.",
                    query(),
                    "Modes",
                    (all, call) -> all.channels().modes(call)),
            post(
                    Role.OPERATOR,
                    "/modes",
                    "Sets a mode for all nodes. Without an operation the role admin is needed.",
                    EndpointInput.body(
                            REASON,
                            Field.string("mode", "LIVE, SHADOW or HALTED. LIVE removes a setting.")
                                    .always(),
                            Field.string("tenant", "Only this tenant; all if left out."),
                            Field.string("operation", "Only this operation or channel."),
                            Field.string("prefix", "All operations and channels whose names begin with this."),
                            Field.string("label", "All operations and channels that are declared with this label."),
                            Field.bool("wait", "Answer when the mode applies on every node."),
                            EVEN_IF_UNKNOWN),
                    "ModeSet",
                    (all, call) -> all.channels().setMode(call)));

    private static final List<AdminEndpoint> REPORTS = List.of(
            get(
                    "/audit/events",
                    "Audit events, the newest first.",
                    query(
                            TENANT,
                            OPERATION,
                            Field.string("record", "Only events of this record: 64 hexadecimal digits."),
                            TYPE,
                            SINCE,
                            UNTIL,
                            LIMIT,
                            CURSOR),
                    "EventPage",
                    (all, call) -> all.reports().audit().events(call)),
            get(
                    "/audit/follow",
                    "Audit events in the order of the seals, as they are written: ask again with \"next\".",
                    query(
                            TENANT,
                            OPERATION,
                            TYPE,
                            Field.integer("last", "Without a cursor: begin with so many of the newest; 0 to 1000."),
                            CURSOR),
                    "EventPage",
                    (all, call) -> all.reports().audit().follow(call)),
            events(
                    "/audit/live",
                    "Audit events in the order of the seals, as they are written. A client that reconnects continues"
                            + " after Last-Event-ID.",
                    query(
                            TENANT,
                            OPERATION,
                            TYPE,
                            Field.integer("last", "Without a cursor: begin with so many of the newest; 0 to 1000."),
                            CURSOR),
                    "AuditEvent",
                    (all, call) -> all.reports().audit().live(call)),
            new AdminEndpoint(
                    new Endpoint(
                            "GET",
                            "/admin/audit/export",
                            "All audit events that match, in the order of the seals, one in each line. A response that"
                                    + " breaks off is not complete.",
                            query(TENANT, OPERATION, TYPE, SINCE, UNTIL),
                            EndpointOutput.lines("AuditEvent")),
                    Role.VIEWER,
                    ReportLimit.limited((all, call) -> all.reports().audit().export(call))),
            get(
                    "/audit/verify",
                    "Checks that no event of the audit was changed, removed or inserted.",
                    query(Field.string("anchor", "An anchor of an earlier check.")),
                    "AuditCheck",
                    ReportLimit.limited((all, call) -> all.reports().audit().verify(call))),
            get(
                    "/audit/replay-decisions",
                    "Recomputes every retry decision from the audit and names each difference.",
                    query(TENANT, OPERATION, TYPE, SINCE, UNTIL),
                    "DecisionCheck",
                    ReportLimit.limited((all, call) -> all.reports().audit().replayDecisions(call))),
            get(
                    "/overview",
                    "What happened lately on all nodes, how things stand, and what needs a person.",
                    query(OVERVIEW_WINDOW, TENANT, OPERATION),
                    "Overview",
                    (all, call) -> all.reports().overview().show(call)),
            events(
                    "/overview/live",
                    "The same, now and each time that it was read anew: about every 5 seconds, by one read for all who follow it.",
                    query(OVERVIEW_WINDOW, TENANT, OPERATION),
                    "Overview",
                    (all, call) -> all.reports().overview().live(call)),
            get(
                    "/retries",
                    "How retries went, by policy and category.",
                    query(WINDOW, TENANT, OPERATION),
                    "RetryReport",
                    (all, call) -> all.reports().retries().report(call)),
            get(
                    "/retries/rates",
                    "Retries per minute, by operation and category.",
                    query(WINDOW, TENANT, OPERATION, CATEGORY),
                    "RetryRates",
                    (all, call) -> all.reports().retries().rates(call)),
            get(
                    "/retries/advice",
                    "What the retries suggest to change.",
                    query(WINDOW, TENANT, OPERATION),
                    "RetryAdviceList",
                    (all, call) -> all.reports().retries().advice(call)),
            new AdminEndpoint(
                    new Endpoint(
                            "POST",
                            "/admin/deliveries/check",
                            "Finds deliveries of another system that never arrived. Changes nothing.",
                            new EndpointInput(
                                    List.of(),
                                    List.of(
                                            Field.string("tenant", "The tenant.")
                                                    .always(),
                                            Field.string("channel", "The channel.")
                                                    .always(),
                                            Field.string("key", "The key.").always(),
                                            Field.any("payload", "To find different contents, too.")),
                                    List.of(RequestBody.LINES)),
                            EndpointOutput.json("DeliveryCheck")),
                    Role.VIEWER,
                    ReportLimit.limited(
                            (all, call) -> all.reports().deliveries().check(call))));

    private static final Field FROM =
            Field.string("from", "The source or topic where the route begins.").always();
    private static final Field TO =
            Field.string("to", "The destination where the route ends.").always();
    private static final Field CAME_SINCE = Field.time("since", "Only what came in from this time on.");

    private static final List<AdminEndpoint> DELIVERY = List.of(
            get(
                    "/destinations",
                    "The destinations that the ledger knows of, with their health and last attempt on all nodes.",
                    query(),
                    "Destinations",
                    (all, call) -> all.delivery().destinations().list(call)),
            get(
                    "/destinations/{destination}",
                    "How deliveries to a destination went on all nodes, with its newest attempts.",
                    query(Field.integer("limit", "How many attempts; 1 to 1000, 20 if left out.")),
                    "Destination",
                    (all, call) -> all.delivery().destinations().show(call)),
            post(
                    Role.OPERATOR,
                    "/destinations/{destination}/test",
                    "Sends a signed test event to a destination of this node's configuration, by the same rules as every"
                            + " delivery.",
                    EndpointInput.body(REASON),
                    "DestinationTest",
                    (all, call) -> all.delivery().destinations().test(call)),
            get(
                    "/routes/fills/preview",
                    "What a fill of a route would send.",
                    query(FROM, TO, TENANT, CAME_SINCE),
                    "FillPreview",
                    (all, call) -> all.delivery().fills().preview(call)),
            new AdminEndpoint(
                    new Endpoint(
                            "POST",
                            "/admin/routes/fills",
                            "Sends what came in before to the destination of a new route: a job that running nodes execute.",
                            EndpointInput.body(
                                    REASON,
                                    FROM,
                                    TO,
                                    TENANT,
                                    CAME_SINCE,
                                    Field.integer("rate", "Most messages a second; 0 or left out for no limit.")),
                            EndpointOutput.accepted("FillStarted")),
                    Role.OPERATOR,
                    (all, call) -> all.delivery().fills().begin(call)),
            get(
                    "/routes/fills/{job}",
                    "The progress of a fill.",
                    query(),
                    "FillProgress",
                    (all, call) -> all.delivery().fills().progress(call)),
            post(
                    Role.OPERATOR,
                    "/routes/fills/{job}/resume",
                    "Continues a fill whose job has failed.",
                    EndpointInput.body(REASON),
                    "FillProgress",
                    (all, call) -> all.delivery().fills().resume(call)),
            post(
                    Role.OPERATOR,
                    "/routes/fills/pause",
                    "Pauses all fills, on all nodes.",
                    EndpointInput.body(REASON),
                    "JobsSwitched",
                    (all, call) -> all.delivery().fills().pauseAll(call)),
            post(
                    Role.OPERATOR,
                    "/routes/fills/resume",
                    "Resumes the fills that were paused.",
                    EndpointInput.body(REASON),
                    "JobsSwitched",
                    (all, call) -> all.delivery().fills().resumeAll(call)));

    private static final List<AdminEndpoint> SERVER = List.of(
            get(
                    "/me",
                    "Who you are to the server.",
                    query(),
                    "Me",
                    (all, call) -> all.reports().server().whoAmI(call)),
            get(
                    "/doctor",
                    "Which guarantee the store has with its settings.",
                    query(),
                    "StoreCheck",
                    (all, call) -> all.reports().server().doctor(call)),
            get(
                    "/policies",
                    "The policies and their settings.",
                    query(),
                    "Policies",
                    (all, call) -> all.reports().server().policies(call)),
            get(
                    "/server",
                    "Sources with what this node took in, destinations with their health and last attempts on all nodes, and"
                            + " gateways.",
                    query(),
                    "Server",
                    (all, call) -> all.reports().server().parts(call)),
            post(
                    Role.ADMIN,
                    "/adopt",
                    "Starts a new epoch of fences after a restore. Every run under way becomes UNKNOWN.",
                    EndpointInput.body(REASON),
                    "Adoption",
                    (all, call) -> all.reports().server().adopt(call)),
            post(
                    Role.ADMIN,
                    "/reload",
                    "Takes the changed configuration file into use, as a whole or not at all.",
                    EndpointInput.body(REASON),
                    "Reload",
                    (all, call) -> all.reports().server().reload(call)));

    static final EndpointTable<AdminEndpoint> TABLE = new EndpointTable<>(
            Stream.of(RECORDS, DEAD, CHANNELS, REPORTS, DELIVERY, SERVER)
                    .flatMap(List::stream)
                    .toList(),
            AdminEndpoint::endpoint);

    private AdminEndpoints() {}

    /** Every endpoint. */
    public static List<Endpoint> all() {
        return TABLE.all().stream().map(AdminEndpoint::endpoint).toList();
    }

    /** The role that each of them needs, in a sentence. */
    public static Map<Endpoint, String> notes() {
        return TABLE.all().stream()
                .collect(Collectors.toMap(
                        AdminEndpoint::endpoint,
                        entry -> "Needs the role " + entry.role().code() + "."));
    }

    private static AdminEndpoint get(
            String path, String summary, EndpointInput input, String schema, AdminHandler handler) {
        return new AdminEndpoint(
                new Endpoint("GET", "/admin" + path, summary, input, EndpointOutput.json(schema)),
                Role.VIEWER,
                handler);
    }

    private static AdminEndpoint events(
            String path, String summary, EndpointInput input, String schema, AdminHandler handler) {
        return new AdminEndpoint(
                new Endpoint("GET", "/admin" + path, summary, input, EndpointOutput.events(schema)),
                Role.VIEWER,
                handler);
    }

    private static AdminEndpoint post(
            Role role, String path, String summary, EndpointInput input, String schema, AdminHandler handler) {
        return new AdminEndpoint(
                new Endpoint("POST", "/admin" + path, summary, input, EndpointOutput.json(schema)), role, handler);
    }
}
