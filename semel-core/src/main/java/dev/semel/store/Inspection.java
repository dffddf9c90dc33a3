package dev.semel.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The guarantee of a store with its current settings. */
public record Inspection(Guarantee guarantee, List<CheckedSetting> findings) {
    public Inspection {
        findings = List.copyOf(findings);
    }

    /** The class of guarantee, best first. */
    public enum Guarantee {
        /** Effect and ledger commit together, durably. */
        A,
        /** Durable compare-and-set with a fence. */
        B,
        /** A filter for duplicates; a crash may forget what was acknowledged. */
        C
    }

    /**
     * @param limits the class that this setting limits the store to
     * @param advice what to change; absent when it is as it should be
     */
    public record CheckedSetting(
            String setting,
            String value,
            Guarantee limits,
            @Nullable String advice) {}
}
