package dev.semel.console.admin;

import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.admin.RouteFilling.FillCount;
import dev.semel.console.admin.RouteFilling.FillSelection;
import dev.semel.console.admin.RouteFilling.FillStanding;
import dev.semel.console.admin.RouteFilling.StartedFill;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.Operator;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Fills of routes: previewed first, then jobs in the ledger that running nodes execute. */
final class RouteFillJobs {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int MOST_A_SECOND = 1_000_000;

    private final Operator operator;
    private final ServerActions server;

    RouteFillJobs(AdminLedger ledger, ServerActions server) {
        this.operator = ledger.operator();
        this.server = server;
    }

    private RouteFilling fills() throws ApiProblem {
        return server.fills()
                .orElseThrow(() ->
                        new ApiProblem(ApiCode.NOT_FOUND, "This ledger has no routes to fill: nothing was changed."));
    }

    private static FillSelection selection(AdminCall call) throws ApiProblem {
        long since = call.time("since", Long.MIN_VALUE);
        return new FillSelection(
                AdminCall.demandPlain("A name", call.demandText("from")),
                AdminCall.demandPlain("A name", call.demandText("to")),
                call.tenant(),
                since == Long.MIN_VALUE ? null : Instant.ofEpochMilli(since));
    }

    AdminReply preview(AdminCall call) throws ApiProblem {
        FillCount count = fills().preview(selection(call));
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("matched", count.matched());
        facts.put("already", count.already());
        if (count.oldest() != null) {
            facts.put("oldest", count.oldest().toString());
        }
        return new OneObject(facts);
    }

    AdminReply begin(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        int rate = call.number("rate", 0, 0, MOST_A_SECOND);
        StartedFill started = fills().begin(selection(call), rate, warrant)
                .orElseThrow(() -> new ApiProblem(
                        AdminCode.ACTION_REFUSED, "Nothing is left to send by this route: nothing was changed."));
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", started.job());
        facts.put("matched", started.matched());
        return new OneObject(facts);
    }

    AdminReply progress(AdminCall call) throws ApiProblem {
        return new OneObject(facts(call.value(), find(call)));
    }

    /** Continues a job whose part is dead. What was sent is not sent again. */
    AdminReply resume(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        FillStanding standing = find(call);
        if (standing.newest().state() == State.FAILED_TERMINAL) {
            operator.replay(standing.newest().id(), warrant);
        }
        return new OneObject(facts(call.value(), find(call)));
    }

    AdminReply pauseAll(AdminCall call) throws ApiProblem {
        call.warrant();
        return allJobs().pause(call);
    }

    AdminReply resumeAll(AdminCall call) throws ApiProblem {
        call.warrant();
        return allJobs().resume(call);
    }

    private JobSwitch allJobs() throws ApiProblem {
        return new JobSwitch(operator, fills().channel(), "fills of routes");
    }

    /** A job belongs to the tenant whose messages it sends; those of all tenants exist for nobody of one. */
    private FillStanding find(AdminCall call) throws ApiProblem {
        String job = call.value();
        FillStanding standing = NAME.matcher(job).matches() ? fills().find(job).orElse(null) : null;
        String tenant = standing == null ? null : standing.tenant();
        boolean visible =
                call.sight().seesAll() || tenant != null && call.sight().sees(tenant);
        if (standing == null || !visible) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND, "Fill job " + job + " not found: it never existed or has been purged.");
        }
        return standing;
    }

    private Map<String, Object> facts(String job, FillStanding standing) throws ApiProblem {
        boolean over = standing.newest().state() == State.COMPLETED;
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", job);
        facts.put("part", standing.part());
        facts.put("state", standing.newest().state().name());
        facts.put("sentence", Redactor.text(operator.explain(standing.newest()).sentence()));
        facts.put("matched", standing.matched());
        facts.put("done", standing.sent());
        facts.put("over", over);
        if (over) {
            facts.put("left", fills().left(job));
        }
        return facts;
    }
}
