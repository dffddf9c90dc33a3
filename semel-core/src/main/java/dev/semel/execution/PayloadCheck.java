package dev.semel.execution;

import dev.semel.Call;
import dev.semel.Operation;
import dev.semel.SemelException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the declared check of an operation or channel about a payload, before anything else is done with it. */
final class PayloadCheck {
    private static final Logger LOG = LoggerFactory.getLogger(PayloadCheck.class);

    private PayloadCheck() {}

    /** @throws SemelException.Invalid when the check finds faults, or fails itself */
    static <P> void demandValid(Operation.Definition<P, ?> definition, @Nullable P payload) {
        Call.Validation<? super P> validation = definition.guards().validation();
        if (validation == null) {
            return;
        }
        List<String> faults;
        try {
            faults = List.copyOf(ask(validation, payload));
        } catch (SemelException.Invalid e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            LOG.warn(
                    "{}: the check of a payload failed; the payload is rejected and nothing is stored",
                    definition.name(),
                    e);
            throw new SemelException.Invalid(
                    "The payload of " + definition.name() + " was rejected: its check failed ("
                            + e.getClass().getSimpleName() + "). Nothing was stored.",
                    e);
        }
        if (!faults.isEmpty()) {
            throw new SemelException.Invalid("The payload of " + definition.name() + " was rejected: "
                    + String.join("; ", faults) + ". Nothing was stored.");
        }
    }

    @SuppressWarnings("NullAway") // A call may have no payload; a check that does not expect that fails and rejects it.
    private static <P> List<String> ask(Call.Validation<? super P> validation, @Nullable P payload) {
        return validation.faults(payload);
    }
}
