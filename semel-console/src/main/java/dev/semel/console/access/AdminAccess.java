package dev.semel.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Authenticates the requests of operators. Thread-safe. */
public interface AdminAccess {
    /** Who sent the request. */
    AdminAuthentication authenticate(HttpServletRequest request);

    /**
     * Whether what authenticated this request still does. Asked now and then while the response is a stream, by another thread than the
     * request's; asking does not count as use of a session.
     */
    default BooleanSupplier validity(HttpServletRequest request) {
        return () -> authenticate(request) instanceof AdminAuthentication.Known;
    }

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
