package dev.semel.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;

/** Authenticates the requests of operators. Thread-safe. */
public interface AdminAccess {
    /** Who sent the request. */
    AdminAuthentication authenticate(HttpServletRequest request);

    /** The result of an operator's authentication. */
    sealed interface AdminAuthentication {
        /** The credentials are valid. */
        record Known(Person person) implements AdminAuthentication {}

        /**
         * There are no credentials, or they are not valid.
         *
         * @param reason for the answer and the log, without credentials: "the token has expired"
         */
        record Unknown(String reason) implements AdminAuthentication {}

        /** As {@link Unknown}, and this address has sent too many of them. */
        record Blocked(Duration retryAfter) implements AdminAuthentication {}
    }
}
