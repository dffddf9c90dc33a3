package dev.semel.cli;

import dev.semel.CallStatus;
import dev.semel.CallStatus.CallStory;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.operator.StatusFacts;
import dev.semel.store.State;
import dev.semel.store.Store;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "status",
        header = "Shows where a call or message stands, or all that one correlation id caused.",
        description = {
            "Read-only. Says what the application and its HTTP clients are told: neither key nor payload nor result.",
            "Give the id of a record; or --tenant, --operation and --key; or --tenant and --correlation.",
            "Exits with 1 when there is no such record."
        },
        mixinStandardHelpOptions = true)
final class OpsStatus implements Callable<Integer> {
    private static final String PER_LEVEL = "  ";

    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Parameters(arity = "0..1", paramLabel = "ID", description = "The id of the record, or its first digits.")
    private @Nullable String digits;

    @Option(names = "--tenant", paramLabel = "NAME", description = "The tenant.")
    private @Nullable String tenant;

    @Option(names = "--operation", paramLabel = "NAME", description = "The operation or channel.")
    private @Nullable String operation;

    @ArgGroup(multiplicity = "0..1")
    private @Nullable KeyOption key;

    @Option(names = "--correlation", paramLabel = "ID", description = "The correlation id, as in an answer or a log.")
    private @Nullable String correlation;

    @Override
    public Integer call() {
        if (correlation != null) {
            story(whole(correlation));
        } else {
            status();
        }
        return Exit.OK.code();
    }

    /** @throws SemelException.Invalid when the selection is incomplete or contradictory */
    private String whole(String id) {
        if (tenant == null || digits != null || operation != null || key != null) {
            throw new SemelException.Invalid(
                    "--correlation needs --tenant, and neither an id nor --operation nor --key.");
        }
        return id;
    }

    private void story(String id) {
        Tenant whose = Tenant.of(String.valueOf(tenant));
        CallStory story;
        try (Store opened = ledger.open()) {
            story = Operator.on(opened).calls().story(whose, id);
        }
        if (story.calls().isEmpty()) {
            throw new CheckFailed("Tenant " + whose + ": no record has the correlation id " + Screen.plain(id) + ".");
        }
        ledger.tell(() -> StatusFacts.of(story), screen -> print(screen, story));
    }

    private void status() {
        CallStatus status;
        try (Store opened = ledger.open()) {
            status = find(Operator.on(opened));
        }
        ledger.tell(() -> StatusFacts.of(status), screen -> print(screen, status));
    }

    private CallStatus find(Operator operator) {
        if (digits != null && tenant == null && operation == null && key == null) {
            String id = RecordOption.find(operator, digits).id().hex();
            return operator.calls()
                    .find(null, id)
                    .orElseThrow(() -> new CheckFailed("Record " + digits + " is expired, or is a step."));
        }
        if (digits != null || tenant == null || operation == null || key == null) {
            throw new SemelException.Invalid(
                    "No record selected: give its id; or --tenant, --operation and --key; or --tenant"
                            + " and --correlation.");
        }
        Tenant whose = Tenant.of(tenant);
        String what = Operation.leased(operation, Object.class, Object.class).name();
        Key which = key.read(System.in);
        return operator.calls()
                .find(whose, what, which)
                .orElseThrow(() -> new CheckFailed(what + " (tenant " + whose + "): no record of this key."));
    }

    static void print(Screen screen, CallStatus status) {
        screen.line(screen.bold(Screen.plain(status.reason())));
        screen.fact("record", status.recordId());
        screen.fact("operation", status.operation() + " (tenant " + status.tenant() + ")");
        screen.fact("state", screen.state(State.valueOf(status.state().name())));
        screen.fact("attempts", String.valueOf(status.attempts().made()));
        if (status.attempts().next() != null) {
            screen.fact("next attempt", Screen.moment(status.attempts().next().toEpochMilli()));
        }
        if (status.failure() != null) {
            screen.fact(
                    "failure",
                    Screen.plain(status.failure().category().code() + ": "
                            + status.failure().reason()));
        }
        screen.fact("correlation", Screen.plain(status.correlationId()));
        if (status.call().sentBy() != null) {
            screen.fact("sent by", status.call().sentBy());
        }
        screen.fact("actions", status.next().isEmpty() ? "none" : String.join(", ", StatusFacts.words(status.next())));
    }

    private static void print(Screen screen, CallStory story) {
        Map<String, Integer> depths = new HashMap<>();
        for (CallStatus call : story.calls()) {
            int depth = call.call().sentBy() == null
                    ? 0
                    : depths.getOrDefault(call.call().sentBy(), -1) + 1;
            depths.put(call.recordId(), depth);
            screen.line(PER_LEVEL.repeat(depth)
                    + screen.state(State.valueOf(call.state().name())) + "  " + Screen.plain(call.reason()));
        }
        if (story.cut()) {
            screen.line("... and more");
        }
    }
}
