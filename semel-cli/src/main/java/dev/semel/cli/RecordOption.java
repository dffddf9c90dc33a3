package dev.semel.cli;

import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.Operator;
import dev.semel.store.Row;
import java.util.List;
import java.util.stream.Collectors;
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

        Row find(Operator operator) {
            Tenant whose = Tenant.of(tenant);
            String what =
                    Operation.leased(operation, Object.class, Object.class).name();
            Key which = key.read(System.in);
            return operator.find(whose, what, which)
                    .orElseThrow(() -> new CheckFailed(what + " (tenant " + whose + "): no record of this key."));
        }
    }

    /**
     * @throws CheckFailed when there is no such record
     * @throws SemelException.Invalid when the selection is missing or ambiguous
     */
    Row find(Operator operator) {
        if ((digits == null) == (byKey == null)) {
            throw new SemelException.Invalid("No record selected: give its id, or --tenant, --operation and --key.");
        }
        return digits == null ? byKey.find(operator) : find(operator, digits);
    }

    static Row find(Operator operator, String digits) {
        List<Row> found = operator.find(digits);
        if (found.isEmpty()) {
            throw new CheckFailed("No record has an id that begins with " + digits + ".");
        }
        if (found.size() > 1) {
            String which = found.stream()
                    .map(row -> row.id().hex().substring(0, Math.min(64, digits.length() + 4)) + " ("
                            + row.header().operation() + ", tenant "
                            + row.header().tenant() + ")")
                    .collect(Collectors.joining(", "));
            throw new SemelException.Invalid("Ambiguous id " + digits + ": " + which + ". Give more digits.");
        }
        return found.get(0);
    }
}
