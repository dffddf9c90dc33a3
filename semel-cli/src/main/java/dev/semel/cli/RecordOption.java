package dev.semel.cli;

import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects one record: by its id, or by tenant, operation and key. */
final class RecordOption {
    @Parameters(arity = "0..1", paramLabel = "ID", description = "The id of the record, or its first digits.")
    private @Nullable String digits;

    @ArgGroup(exclusive = false)
    private @Nullable ByKey byKey;

    /** By tenant, operation and key. */
    static final class ByKey {
        @Option(names = "--tenant", required = true, paramLabel = "NAME", description = "The tenant.")
        private String tenant = "";

        @Option(names = "--operation", required = true, paramLabel = "NAME", description = "The operation or channel.")
        private String operation = "";

        @ArgGroup(multiplicity = "1")
        private KeyOption key = new KeyOption();

        String find(OperatedLedger ledger) {
            Tenant whose = Tenant.of(tenant);
            String what =
                    Operation.leased(operation, Object.class, Object.class).name();
            Key which = key.read(System.in);
            List<Facts> found = ledger.get(
                            "/admin/records",
                            CommandInput.of("tenant", whose.name())
                                    .with("operation", what)
                                    .with("key", which.text()))
                    .list("records");
            if (found.isEmpty()) {
                throw new CheckFailed(what + " (tenant " + whose + "): no record of this key.");
            }
            return found.get(0).text("id");
        }
    }

    /**
     * The path of the record.
     *
     * @throws CheckFailed when there is no such record
     * @throws SemelException.Invalid when the selection is missing
     */
    String path(OperatedLedger ledger) {
        if ((digits == null) == (byKey == null)) {
            throw new SemelException.Invalid("No record selected: give its id, or --tenant, --operation and --key.");
        }
        return path(digits == null ? byKey.find(ledger) : digits);
    }

    /** @throws SemelException.Invalid when these are not digits of an id */
    static String path(String digits) {
        dev.semel.key.RecordId.range(digits);
        return "/admin/records/" + digits;
    }
}
