package dev.semel.cli;

import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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
        Facts story;
        try (OperatedLedger opened = ledger.open()) {
            story = opened.get(
                    "/admin/correlation",
                    CommandInput.of("tenant", whose.name()).with("correlation_id", id));
        }
        ledger.tell(story::members, screen -> printStory(screen, story));
    }

    private void status() {
        CommandInput which = which();
        Facts status;
        try (OperatedLedger opened = ledger.open()) {
            status = opened.get("/admin/status", which);
        }
        ledger.tell(status::members, screen -> print(screen, status));
    }

    private CommandInput which() {
        if (digits != null && tenant == null && operation == null && key == null) {
            return CommandInput.of("record", digits);
        }
        if (digits != null || tenant == null || operation == null || key == null) {
            throw new SemelException.Invalid(
                    "No record selected: give its id; or --tenant, --operation and --key; or --tenant"
                            + " and --correlation.");
        }
        return CommandInput.of("tenant", Tenant.of(tenant).name())
                .with(
                        "operation",
                        Operation.leased(operation, Object.class, Object.class).name())
                .with("key", key.read(System.in).text());
    }

    private static void print(Screen screen, Facts status) {
        screen.line(screen.bold(Screen.plain(status.text("reason"))));
        screen.fact("record", status.text("id"));
        screen.fact("operation", status.text("operation") + " (tenant " + status.text("tenant") + ")");
        screen.fact("state", screen.state(RecordFacts.state(status)));
        screen.fact("attempts", status.text("attempts"));
        if (status.has("next_attempt")) {
            screen.fact("next attempt", Screen.moment(status.time("next_attempt")));
        }
        if (status.has("failure")) {
            screen.fact("failure", RecordFacts.why(status));
        }
        screen.fact("correlation", Screen.plain(status.text("correlation_id")));
        if (status.has("sent_by")) {
            screen.fact("sent by", status.text("sent_by"));
        }
        String actions = status.members().get("next") instanceof List<?> next
                ? next.stream().map(String::valueOf).collect(Collectors.joining(", "))
                : "";
        screen.fact("actions", actions.isEmpty() ? "none" : actions);
    }

    private static void printStory(Screen screen, Facts story) {
        Map<String, Integer> depths = new HashMap<>();
        for (Facts call : story.list("calls")) {
            int depth = call.has("sent_by") ? depths.getOrDefault(call.text("sent_by"), -1) + 1 : 0;
            depths.put(call.text("id"), depth);
            screen.line(PER_LEVEL.repeat(depth) + screen.state(RecordFacts.state(call)) + "  "
                    + Screen.plain(call.text("reason")));
        }
        if (story.flag("cut")) {
            screen.line("... and more");
        }
    }
}
