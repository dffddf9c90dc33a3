package dev.semel.cli;

import dev.semel.SemelException;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The exit codes of the command line. They are public interface. */
public enum Exit {
    OK(0, "done"),
    CHECK_FAILED(1, "a check failed, there is no such record, or its state does not allow it"),
    BAD_INPUT(2, "bad input or configuration; nothing was changed"),
    STORE_UNAVAILABLE(3, "the store is unavailable; nothing was changed"),
    OUTCOME_UNKNOWN(4, "the outcome is unknown; retry the same command"),
    BUG(70, "an internal error of Semel");

    private final int code;
    private final String meaning;

    Exit(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    /** As the process returns it. */
    public int code() {
        return code;
    }

    static Exit of(Throwable failure) {
        if (failure instanceof SemelException.Invalid || failure instanceof SemelException.Misconfigured) {
            return BAD_INPUT;
        }
        if (failure instanceof SemelException.StoreUnavailable) {
            return STORE_UNAVAILABLE;
        }
        if (failure instanceof SemelException.OutcomeUnknown) {
            return OUTCOME_UNKNOWN;
        }
        return failure instanceof SemelException ? CHECK_FAILED : BUG;
    }

    /** The meanings by code, for the help. */
    static Map<String, String> meanings() {
        Map<String, String> meanings = new TreeMap<>();
        for (Exit exit : values()) {
            meanings.put(String.format(Locale.ROOT, "%3d", exit.code), exit.meaning);
        }
        return meanings;
    }
}
