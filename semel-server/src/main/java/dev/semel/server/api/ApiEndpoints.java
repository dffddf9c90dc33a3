package dev.semel.server.api;

import dev.semel.console.rest.Endpoint;
import dev.semel.console.rest.Endpoint.EndpointInput;
import dev.semel.console.rest.Endpoint.EndpointOutput;
import dev.semel.console.rest.EndpointTable;
import dev.semel.console.rest.Field;
import dev.semel.console.rest.ObjectSchema;
import dev.semel.console.rest.RequestBody;
import dev.semel.server.access.Scope.Right;
import java.util.List;
import java.util.stream.Stream;

/** The endpoints for programs: requests are dispatched by this table, and the OpenAPI document is made of it. */
public final class ApiEndpoints {
    private static final Field RECORD = Field.string("record", "The id of the record: 64 hexadecimal digits.")
            .always();
    private static final Field FENCE =
            Field.string("fence", "The fence of the run, a string of digits.").always();
    private static final Field STEP_FENCE = Field.string("step_fence", "The fence of the step, a string of digits.");
    private static final Field REPEATABLE =
            Field.bool("repeatable", "Whether a run that was interrupted may be run again; false if left out.");
    private static final Field BEGIN_ID = Field.string(
            "begin_id",
            "A random id of this request, such as a UUID; 16 to 128 characters: if its answer gets lost, the repetition gets the same grant.");
    private static final Field LEASE =
            Field.string("lease", "How long the grant is trusted without a renewal: 1s to 1h; 30s if left out.");
    private static final Field RESULT = Field.any("result", "Any JSON.");
    private static final Field KEY = Field.string("key", "1 to 128 visible ASCII characters.");
    private static final Field PAYLOAD = Field.any("payload", "Any JSON; null if left out.");
    private static final List<Field> FAILURE = List.of(
            Field.string("category", "What kind of failure it is, such as timeout; unknown if left out."),
            Field.string("reason", "One sentence, shown to callers and kept in the audit: no secrets."),
            Field.bool("retryable", "Whether it may be run again; the category decides if left out."),
            Field.string("retry_after", "Not to be tried again before, such as 30s."));

    private static final Field HELD = Field.objects("messages", "HeldMessage", "Those of a claim, at most 100.")
            .always();

    static final EndpointTable<ApiEndpoint> TABLE = new EndpointTable<>(
            List.of(
                    run(
                            "GET",
                            "",
                            "Looks up a call.",
                            status(),
                            EndpointOutput.json("CallStatus"),
                            (all, request, response, values) -> all.operations()
                                    .find(request, values.get(0))
                                    .write(response)),
                    run(
                            "POST",
                            "/begin",
                            "Begins a call, or gives its result.",
                            EndpointInput.body(
                                    KEY.always(),
                                    PAYLOAD,
                                    LEASE,
                                    Field.string(
                                            "wait", "How long to wait for another run of the same key, up to 20s."),
                                    REPEATABLE,
                                    BEGIN_ID),
                            EndpointOutput.json("CallBegun"),
                            (all, request, response, values) -> all.operations()
                                    .begin(request, values.get(0))
                                    .write(response)),
                    run(
                            "POST",
                            "/renew",
                            "Renews the lease of a run.",
                            EndpointInput.body(RECORD, FENCE, LEASE),
                            EndpointOutput.json("LeaseRenewed"),
                            (all, request, response, values) -> all.operations()
                                    .renew(request, values.get(0))
                                    .write(response)),
                    run(
                            "POST",
                            "/finish",
                            "Records the result of a run.",
                            EndpointInput.body(RECORD, FENCE, RESULT),
                            EndpointOutput.json("CallEnded"),
                            (all, request, response, values) -> all.operations()
                                    .finish(request, values.get(0))
                                    .write(response)),
                    run(
                            "POST",
                            "/fail",
                            "Records that a run failed.",
                            body(List.of(RECORD, FENCE), FAILURE),
                            EndpointOutput.json("CallEnded"),
                            (all, request, response, values) -> all.operations()
                                    .fail(request, values.get(0))
                                    .write(response)),
                    run(
                            "POST",
                            "/steps/{step}/begin",
                            "Begins a step of a run, or gives its result.",
                            EndpointInput.body(RECORD, FENCE, REPEATABLE, BEGIN_ID),
                            EndpointOutput.json("StepBegun"),
                            (all, request, response, values) -> all.steps()
                                    .begin(request, values.get(0), values.get(1))
                                    .write(response)),
                    run(
                            "POST",
                            "/steps/{step}/finish",
                            "Records the result of a step.",
                            EndpointInput.body(RECORD, FENCE, STEP_FENCE.always(), RESULT),
                            EndpointOutput.json("Recorded"),
                            (all, request, response, values) -> all.steps()
                                    .finish(request, values.get(0), values.get(1))
                                    .write(response)),
                    run(
                            "POST",
                            "/steps/{step}/fail",
                            "Records that a step failed.",
                            body(List.of(RECORD, FENCE, STEP_FENCE.always(), REPEATABLE), FAILURE),
                            EndpointOutput.json("Recorded"),
                            (all, request, response, values) -> all.steps()
                                    .fail(request, values.get(0), values.get(1))
                                    .write(response)),
                    send(
                            "GET",
                            "",
                            "Looks up a message.",
                            EndpointInput.query(KEY.always()),
                            EndpointOutput.json("CallStatus"),
                            (all, request, response, values) ->
                                    all.channels().find(request, values.get(0)).write(response)),
                    send(
                            "POST",
                            "/messages",
                            "Sends a message, or one in each line.",
                            messages(),
                            EndpointOutput.accepted("MessageSent"),
                            (all, request, response, values) ->
                                    all.channels().messages(request, response, values.get(0))),
                    work(
                            "/claim",
                            "Grants messages that are due.",
                            EndpointInput.body(
                                    Field.integer("max", "At most so many messages, 1 to 100; 10 if left out."),
                                    LEASE,
                                    Field.string("wait", "How long to wait until there is one, up to 20s."),
                                    Field.string(
                                            "claim_id",
                                            "A random id of this request, such as a UUID; 16 to 128 characters: if its answer"
                                                    + " gets lost, the repetition gets the same messages. Workers that"
                                                    + " share a token and an id share the messages, too.")),
                            "MessagesClaimed",
                            (all, request, response, values) ->
                                    all.work().claim(request, values.get(0)).write(response)),
                    work(
                            "/renew",
                            "Renews the leases of messages.",
                            EndpointInput.body(HELD, LEASE),
                            "MessagesEnded",
                            (all, request, response, values) ->
                                    all.work().renew(request, values.get(0)).write(response)),
                    work(
                            "/finish",
                            "Records that messages are done.",
                            EndpointInput.body(HELD),
                            "MessagesEnded",
                            (all, request, response, values) ->
                                    all.work().finish(request, values.get(0)).write(response)),
                    work(
                            "/release",
                            "Hands messages back; no attempt is counted.",
                            EndpointInput.body(HELD),
                            "MessagesEnded",
                            (all, request, response, values) ->
                                    all.work().release(request, values.get(0)).write(response)),
                    work(
                            "/fail",
                            "Records that messages failed.",
                            EndpointInput.body(
                                    Field.objects("messages", "FailedMessage", "Those that failed, at most 100.")
                                            .always()),
                            "MessagesEnded",
                            (all, request, response, values) ->
                                    all.work().fail(request, values.get(0)).write(response))),
            ApiEndpoint::endpoint);

    private static final List<ObjectSchema> SCHEMAS = List.of(
            ObjectSchema.of(
                    "CallStatus",
                    Field.string("operation", "Its operation or channel.").always(),
                    Field.string("sent_by", "The id of the record whose run sent it."),
                    Field.string("state", "Where it stands.").always(),
                    Field.string("reason", "Why, in a sentence.").always(),
                    Field.integer("attempts", "How often it was tried.").always(),
                    Field.time("next_attempt", "When it is tried again."),
                    Field.object("failure", "CallFailure", "Its newest failure."),
                    Field.string("correlation_id", "By which it is found in logs.")
                            .always(),
                    Field.strings("next", "What the caller may do now.").always(),
                    RECORD),
            ObjectSchema.CALL_FAILURE,
            ObjectSchema.of(
                    "CallBegun",
                    Field.string("outcome", "granted: do the work now. replayed: it is done.")
                            .always(),
                    Field.string("record", "The id of the record."),
                    Field.string("fence", "The fence of the run."),
                    Field.integer("attempt", "1 for the first."),
                    Field.string(
                            "downstream_key", "The idempotency key for what the run calls; the same in each attempt."),
                    Field.time("lease_until", "When the grant ends without a renewal."),
                    RESULT,
                    Field.string("correlation_id", "By which it is found in logs.")
                            .always()),
            ObjectSchema.of(
                    "LeaseRenewed",
                    Field.string("outcome", "renewed").always(),
                    Field.time("lease_until", "When the grant ends without another renewal.")
                            .always()),
            ObjectSchema.of(
                    "CallEnded",
                    Field.string("outcome", "recorded, ended_before, retry_later, failed or unknown")
                            .always(),
                    RESULT,
                    Field.integer("retry_after_ms", "When to begin again."),
                    Field.string("reason", "Why it failed.")),
            ObjectSchema.of(
                    "StepBegun",
                    Field.string("outcome", "granted or replayed").always(),
                    STEP_FENCE,
                    Field.string("downstream_key", "The idempotency key for what the step calls."),
                    RESULT),
            ObjectSchema.of("Recorded", Field.string("outcome", "recorded").always()),
            ObjectSchema.of(
                    "MessageSent",
                    Field.string("outcome", "accepted, duplicate, or of a line rejected")
                            .always(),
                    Field.string("record", "The id of the record."),
                    Field.string("correlation_id", "By which it is found in logs."),
                    Field.integer("line", "Of many messages: the number of the line that is answered."),
                    Field.string("code", "Of a line that was rejected: the code of the problem."),
                    Field.string("detail", "Of a line that was rejected: why."),
                    Field.bool("incomplete", "Of the last line, when lines have no answer.")),
            ObjectSchema.of("HeldMessage", RECORD, FENCE),
            new ObjectSchema(
                    "FailedMessage",
                    Stream.concat(Stream.of(RECORD, FENCE), FAILURE.stream()).toList(),
                    false),
            ObjectSchema.of(
                    "MessagesClaimed",
                    Field.objects("messages", "ClaimedMessage", "Those of one lane in their order.")
                            .always(),
                    Field.integer("retry_after_ms", "When to claim again, if too many requests wait already.")),
            ObjectSchema.of(
                    "ClaimedMessage",
                    RECORD,
                    FENCE,
                    KEY.always(),
                    Field.any("payload", "As it was sent.").always(),
                    Field.string("lane", "Its lane."),
                    Field.integer("attempt", "1 for the first.").always(),
                    Field.string(
                                    "downstream_key",
                                    "The idempotency key for what the handler calls; the same in each attempt.")
                            .always(),
                    Field.time("lease_until", "When the grant ends without a renewal.")
                            .always(),
                    Field.string("correlation_id", "By which it is found in logs.")
                            .always()),
            ObjectSchema.of(
                    "MessagesEnded",
                    Field.objects("messages", "EndedMessage", "One for each, in the same order.")
                            .always()),
            ObjectSchema.of(
                    "EndedMessage",
                    RECORD,
                    Field.string("outcome", "recorded, renewed, handed_back, retry_later, failed, unknown or rejected")
                            .always(),
                    Field.time("lease_until", "Of a renewal: when the grant ends without another one."),
                    Field.integer("retry_after_ms", "When it is due again."),
                    Field.string("reason", "Why it failed."),
                    Field.string("code", "Of a rejection: the code of the problem."),
                    Field.string("detail", "Of a rejection: why.")));

    private ApiEndpoints() {}

    /** Every endpoint. */
    public static List<Endpoint> all() {
        return TABLE.all().stream().map(ApiEndpoint::endpoint).toList();
    }

    /** The objects that they answer. */
    public static List<ObjectSchema> schemas() {
        return SCHEMAS;
    }

    private static EndpointInput status() {
        return EndpointInput.query(KEY, Field.string("record", "The id of the record, in place of the key."));
    }

    private static EndpointInput messages() {
        return new EndpointInput(
                List.of(),
                List.of(
                        KEY.always(),
                        PAYLOAD,
                        Field.string("lane", "Messages of one lane are handled one at a time, in their order."),
                        Field.string("delay", "Not before, such as 10m."),
                        Field.time("deadline", "Not handled after this time."),
                        Field.string("correlation_id", "Of a line: by which it is found in logs.")),
                List.of(RequestBody.JSON, RequestBody.LINES));
    }

    private static EndpointInput body(List<Field> first, List<Field> then) {
        return new EndpointInput(
                List.of(), Stream.concat(first.stream(), then.stream()).toList(), List.of(RequestBody.JSON));
    }

    private static ApiEndpoint run(
            String method,
            String rest,
            String summary,
            EndpointInput input,
            EndpointOutput output,
            ApiEndpoint.ApiHandler handler) {
        Endpoint endpoint = new Endpoint(method, "/operations/{operation}" + rest, summary, input, output);
        return new ApiEndpoint(endpoint, Right.RUN, handler);
    }

    private static ApiEndpoint send(
            String method,
            String rest,
            String summary,
            EndpointInput input,
            EndpointOutput output,
            ApiEndpoint.ApiHandler handler) {
        Endpoint endpoint = new Endpoint(method, "/channels/{channel}" + rest, summary, input, output);
        return new ApiEndpoint(endpoint, Right.SEND, handler);
    }

    private static ApiEndpoint work(
            String rest, String summary, EndpointInput input, String answer, ApiEndpoint.ApiHandler handler) {
        Endpoint endpoint =
                new Endpoint("POST", "/channels/{channel}" + rest, summary, input, EndpointOutput.json(answer));
        return new ApiEndpoint(endpoint, Right.WORK, handler);
    }
}
