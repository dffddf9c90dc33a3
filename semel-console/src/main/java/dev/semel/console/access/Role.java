package dev.semel.console.access;

import java.util.Locale;

/** What a person may do as an operator. Each role includes the ones before it. */
public enum Role {
    /** Look: lists, explanations, the audit. Payloads and results are not shown, unless a setting allows it. */
    VIEWER,
    /** Act on records and channels: replay, discard, cancel, resolve, pause, resume; see payloads and results, redacted. */
    OPERATOR,
    /** Act on the whole server: modes for everything, adoption, forgetting, reload. */
    ADMIN;

    /** As it is written in the configuration: {@code viewer}. */
    public String code() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it allows what the other one does. */
    public boolean includes(Role other) {
        return compareTo(other) >= 0;
    }
}
