package dev.semel.server.api;

import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.console.rest.JsonBody;
import dev.semel.execution.ExternalRuns.RunHandle;
import dev.semel.execution.ExternalSteps;
import dev.semel.execution.ExternalSteps.StepBegin;
import dev.semel.execution.ExternalSteps.StepTerms;
import java.time.Duration;

/** {@code /api/v1/operations/{name}/steps/{step}}: the steps of a run. */
final class StepsResource {
    private static final Operation.TypeRef<Json> JSON = Operation.TypeRef.of(Json.class);
    private static final String STEP_FENCE = "step_fence";

    private final ExternalSteps steps;

    StepsResource(ExternalSteps steps) {
        this.steps = steps;
    }

    ApiAnswer begin(ApiRequest request, String name, String step) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = OperationsResource.handle(request, body);
        Operation.Leased<Json, Json> operation = request.settings().operation(name, false);
        StepTerms terms =
                new StepTerms(Boolean.TRUE.equals(body.bool("repeatable")), request.repetitionId(body, "begin_id"));
        body.demandNoOther();
        StepBegin<Json> begun = steps.begin(operation, run, step, JSON, terms);
        if (begun instanceof StepBegin.StepGranted<Json> granted) {
            return ApiAnswer.ok("granted")
                    .with(STEP_FENCE, Long.toString(granted.fence()))
                    .with("downstream_key", granted.downstreamKey());
        }
        if (begun instanceof StepBegin.StepReplayed<Json> replayed) {
            return ApiAnswer.ok("replayed").with("result", replayed.result()).asReplay();
        }
        if (begun instanceof StepBegin.StepForbidden<Json> forbidden) {
            throw forbidden.shadow()
                    ? new ApiProblem(
                            ApiCode.SHADOWED, "The operation is in SHADOW: the step is not to be run. Fail the run.")
                    : new ApiProblem(
                                    ApiCode.HALTED,
                                    "The operation is switched off at the moment; the step was not started.")
                            .retryAfter(Duration.ofSeconds(5));
        }
        if (begun instanceof StepBegin.StepUnknown) {
            throw new ApiProblem(
                    ApiCode.OUTCOME_UNKNOWN,
                    "An earlier run was interrupted in this step, which may not be repeated. The call waits for a"
                            + " decision.");
        }
        throw AnswerProblems.leaseLost();
    }

    ApiAnswer finish(ApiRequest request, String name, String step) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = OperationsResource.handle(request, body);
        Operation.Leased<Json, Json> operation = request.settings().operation(name, false);
        long fence = body.fence(STEP_FENCE);
        Json result = Json.of(body.value("result"));
        body.demandNoOther();
        return held(steps.finish(operation, run, step, fence, JSON, result));
    }

    ApiAnswer fail(ApiRequest request, String name, String step) throws ApiProblem {
        JsonBody body = request.body();
        RunHandle run = OperationsResource.handle(request, body);
        Operation.Leased<Json, Json> operation = request.settings().operation(name, false);
        long fence = body.fence(STEP_FENCE);
        Failure failure = OperationsResource.failure(body);
        boolean repeatable = Boolean.TRUE.equals(body.bool("repeatable")) | Boolean.TRUE.equals(body.bool("retryable"));
        body.demandNoOther();
        return held(steps.fail(operation, run, step, fence, failure, repeatable));
    }

    private static ApiAnswer held(boolean held) throws ApiProblem {
        if (!held) {
            throw AnswerProblems.leaseLost();
        }
        return ApiAnswer.ok("recorded");
    }
}
