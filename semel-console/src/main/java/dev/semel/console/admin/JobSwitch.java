package dev.semel.console.admin;

import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Pauses and resumes all jobs of one kind, on all nodes.
 *
 * @param channel of the jobs
 * @param kind what they are, such as "replays of many"
 */
record JobSwitch(Operator operator, String channel, String kind) {
    AdminReply pause(AdminCall call) throws ApiProblem {
        call.sight().demandAll("Pausing " + kind);
        Warrant warrant = call.warrant();
        operator.pause(channel, null, warrant);
        return switched("All " + kind + " are paused.");
    }

    AdminReply resume(AdminCall call) throws ApiProblem {
        call.sight().demandAll("Resuming " + kind);
        Warrant warrant = call.warrant();
        if (!operator.resume(channel, null, warrant)) {
            throw new ApiProblem(AdminCode.ACTION_REFUSED, "The " + kind + " were not paused: nothing was changed.");
        }
        return switched("The " + kind + " are resumed.");
    }

    private static AdminReply switched(String sentence) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("sentence", sentence);
        return new OneObject(facts);
    }
}
