package dev.semel.policy;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What decided the category of a failure and whether it may be retried.
 *
 * @param name of the rule's class, the SQL state or the kind of answer; absent where the source says all
 */
public record JudgementBasis(Source source, @Nullable String name) {

    /** Who judged. The codes are stored in audit events: never rename them. */
    public enum Source {
        /** The handler stated the category. */
        HANDLER,
        /** A rule of the policy for a class of exceptions. */
        POLICY_RULE,
        /** A built-in rule for a class of exceptions. */
        BUILT_IN_RULE,
        /** A built-in rule for an SQL state. */
        SQL_STATE,
        /** No rule matches the exception. */
        UNLISTED,
        /** The answer of a nested call. */
        ANSWER,
        /** The attempt was interrupted because it took too long. */
        ATTEMPT_TIMEOUT,
        /** Whoever ran the handler outside this process said whether to try again. */
        CALLER,
        /** The end of an HTTP exchange, which its client may repeat. */
        REQUEST,
        /** The lease expired and no attempt is left. */
        LEASE,
        /** The deadline passed before the handler could begin. */
        DEADLINE,
        /** The work was switched off before its next attempt. */
        MODE,
        /** The payload cannot be read. */
        PAYLOAD,
        /** The store rejects the data that the attempt left. */
        STORE,
        /** A reconciler said that it failed. */
        RECONCILER;

        String code() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Optional<Source> ofCode(String code) {
            return Arrays.stream(values())
                    .filter(source -> source.code().equals(code))
                    .findFirst();
        }
    }

    public static JudgementBasis of(Source source) {
        return new JudgementBasis(source, null);
    }
}
