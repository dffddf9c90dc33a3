package dev.semel.console.admin;

import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.Explanation;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.Replays.Progress;
import dev.semel.operator.UnresolvedMessages.MessageFilter;
import dev.semel.operator.UnresolvedMessages.Preview;
import dev.semel.operator.UnresolvedMessages.Scope;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.time.TimeSource;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Replays of many: jobs in the ledger, which running nodes execute and continue after a crash. */
final class ReplayJobs {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
    private static final int MOST_A_SECOND = 1_000_000;

    private final AdminLedger ledger;
    private final SecureRandom random = new SecureRandom();

    ReplayJobs(AdminLedger ledger) {
        this.ledger = ledger;
    }

    AdminReply start(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        boolean all = call.flag("all");
        boolean unknown = call.flag("unknown");
        int rate = call.number("rate", 0, 0, MOST_A_SECOND);
        boolean selected = call.text("tenant") != null
                || call.text("operation") != null
                || call.text("category") != null
                || call.text("exception") != null;
        MessageFilter which = DeadLetters.filter(call, unknown ? Scope.BOTH : Scope.DEAD);
        if (all == selected) {
            throw new ApiProblem(
                    ApiCode.INVALID,
                    "Select messages by tenant, operation, category or exception; or set all to true. Nothing was done.");
        }
        Preview preview = ledger.operator().letters().preview(which);
        if (preview.count() == 0) {
            throw new ApiProblem(AdminCode.ACTION_REFUSED, "No dead letter matches: nothing was changed.");
        }
        String job = String.format(
                Locale.ROOT, "replay-%d-%06x", TimeSource.system().millis() / 1_000, random.nextInt(1 << 24));
        ledger.jobs().accept(Replays.begin(job, preview, rate, warrant));
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", job);
        facts.put("matched", preview.count());
        return new OneObject(facts);
    }

    AdminReply progress(AdminCall call) throws ApiProblem {
        return new OneObject(facts(call, find(call)));
    }

    /** Continues a job whose part is dead. Running it again does nothing twice: what was replayed is not found again. */
    AdminReply resume(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        Progress progress = find(call);
        if (progress.newest().state() == State.FAILED_TERMINAL) {
            ledger.operator().replay(progress.newest().id(), warrant);
        }
        return new OneObject(facts(call, find(call)));
    }

    /** A job belongs to the tenant whose messages it replays; those of all tenants exist for nobody of one. */
    private Progress find(AdminCall call) throws ApiProblem {
        String job = call.value();
        Progress progress = NAME.matcher(job).matches()
                ? ledger.operator().replays().progress(job, 1).orElse(null)
                : null;
        String tenant =
                progress == null ? null : progress.asked().which().records().tenant();
        boolean visible =
                call.sight().seesAll() || tenant != null && call.sight().sees(tenant);
        if (progress == null || !visible) {
            throw new ApiProblem(
                    ApiCode.NOT_FOUND, "Replay job " + job + " not found: it never existed or has been purged.");
        }
        return progress;
    }

    private Map<String, Object> facts(AdminCall call, Progress progress) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("job", call.value());
        facts.put("part", progress.part());
        facts.put("state", progress.newest().state().name());
        facts.put("sentence", Redactor.text(explanation(call, progress.newest()).sentence()));
        facts.put("with_unknown", progress.asked().which().scope() != Scope.DEAD);
        facts.put("matched", progress.asked().count());
        facts.put("done", progress.done());
        facts.put("over", progress.over());
        if (progress.over()) {
            facts.put(
                    "left",
                    ledger.operator()
                            .letters()
                            .preview(progress.asked().which())
                            .count());
        }
        return facts;
    }

    /** All jobs wait in one channel, whose pause and mode are for all tenants: somebody of one learns that it is held up, not why. */
    private Explanation explanation(AdminCall call, Row newest) {
        return call.sight().seesAll()
                ? ledger.operator().explain(newest)
                : ledger.operator().explainToTenant(newest);
    }

    AdminReply pauseAll(AdminCall call) throws ApiProblem {
        return allJobs().pause(call);
    }

    AdminReply resumeAll(AdminCall call) throws ApiProblem {
        return allJobs().resume(call);
    }

    private JobSwitch allJobs() {
        return new JobSwitch(ledger.operator(), Replays.CHANNEL.name(), "replays of many");
    }
}
