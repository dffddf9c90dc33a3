package dev.semel.console.admin;

import static dev.semel.console.rest.Field.bool;
import static dev.semel.console.rest.Field.integer;
import static dev.semel.console.rest.Field.map;
import static dev.semel.console.rest.Field.number;
import static dev.semel.console.rest.Field.object;
import static dev.semel.console.rest.Field.objects;
import static dev.semel.console.rest.Field.string;
import static dev.semel.console.rest.Field.strings;
import static dev.semel.console.rest.Field.time;

import dev.semel.console.rest.Field;
import dev.semel.console.rest.ObjectSchema;
import java.util.List;
import java.util.stream.Stream;

/** The objects that the endpoints for operators answer. */
public final class AdminSchemas {
    private static final Field SENTENCE =
            string("sentence", "What came of it, for a person.").always();
    private static final Field NEXT_PAGE = string("next", "The cursor of the next page; left out at the end.");
    private static final Field CHANNEL = string("channel", "Its name.").always();
    private static final Field TENANT = string("tenant", "* for all tenants.").always();
    private static final List<Field> BRIEF = List.of(
            string("id", "64 hexadecimal digits: the hash of tenant, operation and key.")
                    .always(),
            string("operation", "Its operation or channel.").always(),
            string("tenant", "Whose it is.").always(),
            string("state", "Where it stands.").always(),
            integer("attempt", "How often it was tried.").always(),
            string("fence", "Of the newest grant, a string of digits.").always(),
            time("at", "When it next needs attention: due, end of lease, end of retention."),
            string("correlation_id", "By which it is found in logs.").always(),
            string("step_of", "The record of which it is a step."),
            string("sent_by", "The record whose run sent it."),
            object("failure", "RecordFailure", "Its newest failure."),
            object("line", "RecordLine", "Where it stands among those that wait for a worker."));
    private static final List<Field> FULL = with(
            BRIEF,
            string("payload", "Its payload as text: JSON with likely secrets masked, cut if it is long."),
            string("result", "Its result, likewise."));
    private static final List<Field> STATUS = List.of(
            string("id", "The id of the record.").always(),
            string("tenant", "Whose it is.").always(),
            string("operation", "Its operation or channel.").always(),
            string("sent_by", "The record whose run sent it."),
            string("state", "Where it stands.").always(),
            string("reason", "Why, in a sentence.").always(),
            integer("attempts", "How often it was tried.").always(),
            time("next_attempt", "When it is tried again."),
            object("failure", "CallFailure", "Its newest failure."),
            string("correlation_id", "By which it is found in logs.").always(),
            strings("next", "What its caller may do now.").always());
    private static final List<Field> MODE = List.of(
            string("operation", "* for all operations."),
            string("prefix", "For a group: how their names begin."),
            string("label", "For a group: the label they have."),
            TENANT,
            string("mode", "LIVE, SHADOW or HALTED.").always());

    private static final Field WHOLE_WINDOW = bool(
                    "complete", "False when the window has too many events to look at: then it is of the newest alone.")
            .always();

    private static final List<ObjectSchema> RECORDS = List.of(
            ObjectSchema.CALL_FAILURE,
            new ObjectSchema("RecordBrief", BRIEF, false),
            new ObjectSchema(
                    "RecordFull",
                    with(
                            FULL,
                            integer(
                                    "payload_bytes",
                                    "The size of a payload that is left out, because the answer would be too large.")),
                    false),
            new ObjectSchema(
                    "Record",
                    with(
                            FULL,
                            bool("contents_hidden", "Whether payload and result are kept from this person.")
                                    .always(),
                            object("explanation", "Explanation", "Why it is not done.")
                                    .always()),
                    false),
            new ObjectSchema(
                    "RecordTree",
                    with(
                            BRIEF,
                            objects("steps", "RecordStep", "Its steps, by age.").always(),
                            objects("sent", "RecordTree", "The messages that it sent.")
                                    .always(),
                            bool("cut", "Whether there is more than is shown.").always()),
                    false),
            new ObjectSchema(
                    "RecordStep", with(BRIEF, string("step", "Its name.").always()), false),
            ObjectSchema.of(
                    "RecordFailure",
                    string("category", "What kind of failure it is.").always(),
                    string("reason", "What went wrong, without credentials.").always(),
                    string("exception", "The class of the exception."),
                    integer("retry_after_ms", "How long the other side asked to wait.")),
            ObjectSchema.of(
                    "RecordLine",
                    string("turn", "FREE, HEAD, WAITING, ARRIVED, LATER or OUT.")
                            .always(),
                    string("lane", "The lane it keeps to."),
                    time("deadline", "After which no attempt starts.")),
            ObjectSchema.of(
                    "RecordPage",
                    objects("records", "RecordBrief", "In the order of the list.")
                            .always(),
                    NEXT_PAGE),
            ObjectSchema.of(
                    "Explanation",
                    string("id", "The record.").always(),
                    string("sentence", "Why it is not done.").always(),
                    map("facts", "What the sentence rests on.").always(),
                    string("next", "What may be done about it.").always()),
            ObjectSchema.of(
                    "Story",
                    objects("events", "AuditEvent", "Oldest first.").always(),
                    bool("cut", "Whether there may be older ones.").always()),
            new ObjectSchema("OperatorStatus", STATUS, false),
            ObjectSchema.of(
                    "CorrelatedCalls",
                    string("correlation_id", "As asked for.").always(),
                    objects("calls", "OperatorStatus", "Each before those that it sent.")
                            .always(),
                    bool("cut", "Whether there is more than is shown.").always()),
            ObjectSchema.of(
                    "ShadowComparison",
                    integer("compared", "Messages that would have been sent.").always(),
                    bool("complete", "Whether all that there are were compared.")
                            .always(),
                    integer("not_sent", "Of these, not sent.").always(),
                    integer("same", "Of these, sent with the same payload.").always(),
                    integer("other_payload", "Of these, sent with another payload.")
                            .always(),
                    integer("only_sent", "Sent, and SHADOW would not have sent it.")
                            .always(),
                    objects("messages", "ShadowMessage", "The first ones.").always()),
            ObjectSchema.of(
                    "ShadowMessage",
                    string("difference", "not_sent, same, other_payload or only_sent.")
                            .always(),
                    object("would_send", "RecordFull", "What SHADOW would have sent."),
                    object("sent", "RecordFull", "What was sent.")),
            ObjectSchema.of(
                    "RecordAction",
                    string("id", "The record.").always(),
                    string("outcome", "DONE, or ALREADY if it was done before.").always(),
                    SENTENCE),
            ObjectSchema.of(
                    "Cancellation",
                    string("outcome", "cancelled or already_cancelled.").always(),
                    string("reason", "Why it is closed.").always(),
                    object("status", "OperatorStatus", "Where it stands now.").always(),
                    SENTENCE),
            ObjectSchema.of("Forgotten", string("outcome", "DONE.").always(), SENTENCE));

    private static final List<ObjectSchema> DEAD = List.of(
            ObjectSchema.of(
                    "CauseGroups",
                    objects("groups", "CauseGroup", "The most frequent first.").always(),
                    integer("counted", "How many messages are in the groups.").always(),
                    bool("complete", "False when there are more: then the groups are of the newest messages alone.")
                            .always()),
            ObjectSchema.of(
                    "CauseGroup",
                    integer("count", "How many messages.").always(),
                    string("state", "FAILED_TERMINAL or UNKNOWN.").always(),
                    string("operation", "Their channel.").always(),
                    string("category", "What kind of failure it is.").always(),
                    string("exception", "The class of the exception; empty when there is none.")
                            .always(),
                    string("reason", "What their messages have in common.").always(),
                    string("sample", "The id of one of them.").always()),
            ObjectSchema.of(
                    "ReplayPreview",
                    integer("count", "How many would be replayed.").always(),
                    integer("unknown", "Matching messages with an unknown outcome, included or not.")
                            .always(),
                    objects("groups", "CauseGroup", "The newest that would be replayed, by cause.")
                            .always()),
            ObjectSchema.of(
                    "JobStarted",
                    string("job", "The name of the job.").always(),
                    integer("matched", "How many messages it will replay.").always()),
            ObjectSchema.of(
                    "JobProgress",
                    string("job", "The name of the job.").always(),
                    integer("part", "The number of its newest part.").always(),
                    string("state", "Of its newest part; COMPLETED when it is over.")
                            .always(),
                    SENTENCE,
                    bool("with_unknown", "Whether it includes messages with an unknown outcome.")
                            .always(),
                    integer("matched", "How many messages it was started with.").always(),
                    integer("done", "How many its parts before the newest replayed.")
                            .always(),
                    bool("over", "Whether it has ended.").always(),
                    integer("left", "At its end: how many were not replayed, locked or changed meanwhile.")),
            ObjectSchema.of("JobsSwitched", SENTENCE));

    private static final List<ObjectSchema> CHANNELS = List.of(
            ObjectSchema.of(
                    "Channels",
                    objects("channels", "Channel", "By name.").always(),
                    bool(
                                    "complete",
                                    "False when there are too many messages to look at all: then channels may be missing.")
                            .always()),
            ObjectSchema.of(
                    "Channel",
                    CHANNEL,
                    integer("waiting", "Messages that wait.").always(),
                    bool("more_waiting", "Whether counting ended there.").always(),
                    time("oldest_due", "Since when the one that is due longest has been."),
                    integer("parked_lanes", "Lanes whose head is dead or UNKNOWN.")
                            .always(),
                    integer("unknown", "Messages that may have taken effect.").always(),
                    number(
                                    "handled_per_minute",
                                    "Messages that ended (done, dead or UNKNOWN) a minute, over the last 5 minutes.")
                            .always(),
                    object("breaker", "ChannelBreaker", "On the node that answers; left out for people of one tenant."),
                    string("mode", "LIVE, SHADOW or HALTED.").always(),
                    objects("pauses", "Pause", "Of all tenants or of some.").always()),
            ObjectSchema.of(
                    "ChannelBreaker",
                    string("state", "closed, half_open or open.").always(),
                    time("since", "When it came to stand so, by the clock of the node.")
                            .always(),
                    string("node", "The host name and process of the node. Each node has breakers of its own.")
                            .always()),
            ObjectSchema.of(
                    "Pause",
                    CHANNEL,
                    TENANT,
                    string("reason", "Why; not told to somebody of one tenant if it is for all."),
                    time("since", "When it began.").always(),
                    integer("probe_ms", "How often one message is let through; 0 for never.")
                            .always()),
            ObjectSchema.of(
                    "ChannelSwitched", CHANNEL, TENANT, integer("version", "Of a pause: grows with every change.")),
            ObjectSchema.of(
                    "Modes",
                    integer("version", "Grows with every change.").always(),
                    objects("settings", "ModeSetting", "What is not LIVE.").always(),
                    objects("pauses", "Pause", "Paused channels.").always()),
            new ObjectSchema("ModeSetting", MODE, false),
            new ObjectSchema(
                    "ModeSet",
                    with(
                            MODE,
                            integer("version", "Grows with every change.").always(),
                            bool("waited", "Whether it applies on every node now.")
                                    .always()),
                    false));

    private static final List<ObjectSchema> REPORTS = List.of(
            ObjectSchema.open(
                    "AuditEvent",
                    integer("id", "Its number.").always(),
                    time("time", "By the store's clock.").always(),
                    string("type", "Such as operation.executed.").always(),
                    string("tenant", "Whom it concerns; * for all.").always(),
                    string("operation", "The operation or channel."),
                    string("record", "The id of the record."),
                    integer("fence", "Of the grant.").always(),
                    integer("attempt", "Of the run.").always()),
            ObjectSchema.of(
                    "EventPage",
                    objects("events", "AuditEvent", "In the order of the list.").always(),
                    NEXT_PAGE),
            ObjectSchema.of(
                    "AuditCheck",
                    string("store", "Which store, without secrets.").always(),
                    bool("intact", "Whether nothing was changed, removed or inserted.")
                            .always(),
                    integer("seals", "Intact seals.").always(),
                    integer("events", "Events under these seals.").always(),
                    object("damage", "AuditDamage", "The first fault."),
                    string("anchor", "Of the newest seal, to be kept elsewhere."),
                    integer("unsealed", "Events that are not sealed yet; counting ends at 10,000.")
                            .always()),
            ObjectSchema.of(
                    "AuditDamage",
                    string("kind", "CHANGED, REMOVED, INSERTED, SEAL_BROKEN or ANCHOR_MISSED.")
                            .always(),
                    integer("seal", "The number of the seal.").always(),
                    integer("event", "The id of the first event concerned."),
                    string("sentence", "For a person.").always()),
            ObjectSchema.of(
                    "DecisionCheck",
                    integer("decisions", "Decisions that were recomputed.").always(),
                    map("equal", "How many of them are as stored, by decision.").always(),
                    integer("differing", "How many are not.").always(),
                    integer("without_inputs", "Events that hold too little to recompute their decision.")
                            .always(),
                    objects("differences", "DecisionDifference", "The first ones.")
                            .always()),
            ObjectSchema.of(
                    "DecisionDifference",
                    string("event", "The id of the event.").always(),
                    string("record", "The id of the record.").always(),
                    string("what", "What differs.").always(),
                    string("stored", "As it is stored.").always(),
                    string("recomputed", "As it is recomputed.").always()),
            ObjectSchema.of(
                    "RetryReport",
                    integer("window_ms", "How far back.").always(),
                    objects("policies", "PolicyRetries", "By policy and category; * for all categories.")
                            .always(),
                    WHOLE_WINDOW),
            ObjectSchema.of(
                    "PolicyRetries",
                    string("policy", "The code of the policy.").always(),
                    string("category", "Of the failures; * for all.").always(),
                    integer("failed_attempts", "Attempts that failed.").always(),
                    integer("succeeded", "Records of which a retry succeeded.").always(),
                    integer("gave_up", "Records that were given up.").always(),
                    number("success_rate", "Of those that ended, from 0 to 1.").always(),
                    number("average_attempts", "Of those that succeeded.").always()),
            ObjectSchema.of(
                    "RetryRates",
                    integer("window_ms", "How far back.").always(),
                    objects("rates", "RetryRate", "The highest first.").always(),
                    WHOLE_WINDOW),
            ObjectSchema.of(
                    "RetryRate",
                    string("operation", "The operation or channel.").always(),
                    string("category", "Of the failures.").always(),
                    integer("retries", "In the window.").always(),
                    integer("most_per_minute", "In the minute that had most.").always(),
                    time("minute", "When that began.").always()),
            ObjectSchema.of(
                    "RetryAdviceList",
                    integer("window_ms", "How far back.").always(),
                    objects("advice", "RetryAdvice", "Empty when nothing is to be changed.")
                            .always(),
                    WHOLE_WINDOW),
            ObjectSchema.of(
                    "RetryAdvice",
                    string("kind", "What was seen.").always(),
                    string("operation", "The operation or channel.").always(),
                    string("policy", "The code of the policy.").always(),
                    string("setting", "The setting to change.").always(),
                    string("sentence", "What was seen and what to change.").always(),
                    map("figures", "What it rests on.").always()),
            ObjectSchema.of(
                    "DeliveryCheck",
                    integer("seen", "Deliveries that were named.").always(),
                    integer("there", "Of these, in the ledger.").always(),
                    integer("missing", "Of these, missing.").always(),
                    integer("conflicting", "Of these, there with other contents.")
                            .always(),
                    objects("findings", "DeliveryFinding", "The first ones.").always()),
            ObjectSchema.of(
                    "DeliveryFinding",
                    string("fault", "MISSING or CONFLICTING.").always(),
                    string("channel", "As named.").always(),
                    string("tenant", "As named.").always(),
                    string("key", "As named.").always(),
                    string("record", "The id that its record has, or would have.")
                            .always()));

    private static final List<ObjectSchema> DELIVERY = List.of(
            ObjectSchema.of(
                    "Destinations",
                    objects("destinations", "Destination", "By name, each with its last attempt.")
                            .always()),
            ObjectSchema.of(
                    "Destination",
                    string("name", "Its name.").always(),
                    time("last_success", "When a delivery was last answered with 2xx, if the newest events tell it."),
                    time("failing_since", "The first failure since the last success."),
                    string("paused", "Why its channel is paused for all tenants; left out when it is not."),
                    time("paused_since", "Since when it is paused."),
                    objects("attempts", "DeliveryAttempt", "Of all nodes, the newest first.")
                            .always()),
            ObjectSchema.of(
                    "DestinationTest",
                    bool("delivered", "Whether the destination answered 2xx.").always(),
                    integer("status", "The status of the answer; left out when there was none."),
                    SENTENCE,
                    string("answer", "How the answer begins.").always()),
            ObjectSchema.of(
                    "FillPreview",
                    integer("matched", "How many messages would be sent.").always(),
                    integer("already", "How many went there before and would not be sent again.")
                            .always(),
                    time("oldest", "When the oldest message that is still kept came in.")),
            ObjectSchema.of(
                    "FillStarted",
                    string("job", "The name of the job.").always(),
                    integer("matched", "How many messages it will send.").always()),
            ObjectSchema.of(
                    "FillProgress",
                    string("job", "The name of the job.").always(),
                    integer("part", "The number of its newest part.").always(),
                    string("state", "Of its newest part; COMPLETED when it is over.")
                            .always(),
                    SENTENCE,
                    integer("matched", "How many messages it was started with.").always(),
                    integer("done", "How many its parts before the newest sent.")
                            .always(),
                    bool("over", "Whether it has ended.").always(),
                    integer("left", "At its end: how many were not sent.")));

    private static final List<ObjectSchema> SERVER = List.of(
            ObjectSchema.of(
                    "Me",
                    string("name", "As it is written into the audit.").always(),
                    string("role", "viewer, operator or admin.").always(),
                    TENANT),
            ObjectSchema.of(
                    "StoreCheck",
                    string("store", "Which store, without secrets.").always(),
                    string("class", "The class of guarantee: A, B or C.").always(),
                    objects("findings", "StoreFinding", "What was checked.").always()),
            ObjectSchema.of(
                    "StoreFinding",
                    string("setting", "What was checked.").always(),
                    string("value", "As it is.").always(),
                    string("limits", "The class that it limits the store to.").always(),
                    string("advice", "What to change.")),
            ObjectSchema.of(
                    "Policies",
                    objects("policies", "PolicySettings", "In the order of the catalogue.")
                            .always()),
            ObjectSchema.of(
                    "PolicySettings",
                    string("name", "As operations name it.").always(),
                    string("code", "As audit and metrics name it.").always(),
                    map("settings", "As configuration writes them.").always()),
            ObjectSchema.of(
                    "Server",
                    objects("sources", "ServerSource", "Senders of webhooks.").always(),
                    objects("destinations", "ServerDestination", "Where webhooks are delivered.")
                            .always(),
                    objects("gateways", "ServerGateway", "APIs behind the gateway.")
                            .always()),
            ObjectSchema.of(
                    "ServerSource",
                    string("name", "Its name.").always(),
                    string("channel", "Through which its webhooks come.").always(),
                    string("policy", "Of that channel.").always(),
                    integer(
                            "accepted",
                            "Webhooks that were stored, since the node that answers took its configuration into use; left"
                                    + " out while it serves none."),
                    integer("repeated", "Webhooks that were there already, likewise."),
                    integer("rejected", "Requests that were not acknowledged, likewise."),
                    time("last_webhook", "When one was last acknowledged, likewise."),
                    time("last_rejected", "When one was last rejected, likewise.")),
            ObjectSchema.of(
                    "ServerDestination",
                    string("name", "Its name.").always(),
                    string("origin", "Scheme, host and port of its URL.").always(),
                    string("channel", "Through which its webhooks go.").always(),
                    string("policy", "Of that channel.").always(),
                    time("failing_since", "The first failure since the last success."),
                    time("last_success", "When a delivery was last answered with 2xx, if the newest events tell it."),
                    objects("attempts", "DeliveryAttempt", "The last ten of all nodes.")
                            .always()),
            ObjectSchema.of(
                    "DeliveryAttempt",
                    string("record", "The id of its record.").always(),
                    integer("attempt", "1 for the first.").always(),
                    time("ended", "By the clock of the store.").always(),
                    integer("duration_ms", "How long it took."),
                    integer("status", "The status of the answer."),
                    string("category", "Of the failure."),
                    string("answer", "How the answer begins; needs the role operator.")),
            ObjectSchema.of(
                    "ServerGateway",
                    string("name", "Its name.").always(),
                    string("path", "Where the server passes requests on.").always(),
                    string("origin", "Scheme, host and port of the API.").always()),
            ObjectSchema.of(
                    "Adoption",
                    string("store", "Which store, without secrets.").always(),
                    integer("epoch", "The new epoch of fences.").always(),
                    integer("unknown", "How many runs became UNKNOWN.").always()),
            ObjectSchema.of("Reload", string("outcome", "reloaded").always(), SENTENCE));

    private AdminSchemas() {}

    /** Every object, each once. */
    public static List<ObjectSchema> all() {
        return Stream.of(RECORDS, DEAD, CHANNELS, OverviewSchemas.ALL, REPORTS, DELIVERY, SERVER)
                .flatMap(List::stream)
                .toList();
    }

    private static List<Field> with(List<Field> first, Field... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toList();
    }
}
