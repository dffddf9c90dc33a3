package dev.semel.cli;

import dev.semel.CallStatus;
import dev.semel.Cancellation;
import dev.semel.Cancellation.Cancelled;
import dev.semel.operator.Operator;
import dev.semel.operator.StatusFacts;
import dev.semel.store.Row;
import dev.semel.store.Store;
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
        Operator.Warrant why = warrant.given();
        Cancelled cancelled;
        Row row;
        try (Store opened = ledger.open()) {
            Operator operator = Operator.on(opened);
            row = record.find(operator);
            cancelled = operator.calls().cancel(null, row.id().hex(), Cancellation.by(why.actor(), why.reason()));
        }
        String name = row.header().operation() + "/" + row.id().prefix() + " (tenant "
                + row.header().tenant() + ")";
        String words = cancelled.fold(
                done -> name + ": cancelled; it will not be run.",
                already -> name + " was already closed; nothing was changed. " + reason(already.status()),
                not -> fail(name, not.notice().reason()),
                absent -> fail(name, absent.notice().reason()));
        ledger.tell(() -> StatusFacts.of(cancelled), screen -> screen.line(words));
        return Exit.OK.code();
    }

    private static String reason(CallStatus status) {
        return Screen.plain(status.reason());
    }

    private static String fail(String name, String why) {
        throw new CheckFailed(name + ": " + why);
    }
}
