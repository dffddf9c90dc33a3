package dev.semel.cli;

import dev.semel.SemelException;
import java.util.List;

/** What a command throws for a problem that a ledger answered. */
final class AnsweredProblem {
    private AnsweredProblem() {}

    /** @param faults all that is wrong, where there are several */
    static SemelException of(int status, String detail, List<String> faults) {
        String words = Screen.plain(detail);
        StringBuilder all = new StringBuilder(words);
        faults.forEach(fault -> all.append(System.lineSeparator()).append("  ").append(Screen.plain(fault)));
        return switch (status) {
            case 404, 409, 410 -> new CheckFailed(all.toString());
            case 429, 502, 503, 504 -> new SemelException.StoreUnavailable(words);
            default -> new SemelException.Invalid(all.toString());
        };
    }
}
