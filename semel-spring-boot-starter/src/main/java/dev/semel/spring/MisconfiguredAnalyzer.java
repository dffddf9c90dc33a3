package dev.semel.spring;

import dev.semel.SemelException;
import java.util.stream.Collectors;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows all faults of Semel's settings and annotations at once instead of a stack trace. */
final class MisconfiguredAnalyzer extends AbstractFailureAnalyzer<SemelException.Misconfigured> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SemelException.Misconfigured cause) {
        String message = String.valueOf(cause.getMessage());
        int colon = message.indexOf(": ");
        String what = colon < 0 ? "Semel" : message.substring(0, colon);
        String faults = cause.faults().stream().map(fault -> "  - " + fault).collect(Collectors.joining("\n"));
        int count = cause.faults().size();
        String description = what + ": " + (count == 1 ? "1 configuration fault" : count + " configuration" + " faults")
                + ":\n\n" + faults;
        return new FailureAnalysis(
                description, "Fix " + (count == 1 ? "the fault" : "all faults") + "; each line says how.", cause);
    }
}
