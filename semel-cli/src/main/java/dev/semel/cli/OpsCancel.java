package dev.semel.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "cancel",
        header = "Cancels a call or message that has not started; its lane continues.",
        description = {
            "Audited. Closes what is QUEUED, FAILED_RETRYABLE, SHADOWED or a dead letter. Cancelling it again changes nothing.",
            "Exits with 1 when there is no such record, or it cannot be cancelled: it runs, is completed, or may have taken"
                    + " effect."
        },
        mixinStandardHelpOptions = true)
final class OpsCancel implements Callable<Integer> {
    @Mixin
    private LedgerOption ledger = new LedgerOption();

    @Mixin
    private RecordOption record = new RecordOption();

    @Mixin
    private WarrantOption warrant = new WarrantOption();

    @Override
    public Integer call() {
        Facts cancelled;
        try (OperatedLedger opened = ledger.open(warrant)) {
            cancelled = opened.post(record.path(opened) + "/cancel", CommandInput.of("reason", warrant.reason()));
        }
        ledger.tell(
                () -> {
                    Map<String, Object> facts = new LinkedHashMap<>(cancelled.members());
                    facts.remove("sentence");
                    return facts;
                },
                screen -> screen.line(Screen.plain(cancelled.text("sentence"))));
        return Exit.OK.code();
    }
}
