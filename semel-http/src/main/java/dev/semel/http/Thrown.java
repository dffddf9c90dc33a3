package dev.semel.http;

import dev.semel.Failure;
import dev.semel.http.Hooks.Exceptions.Meaning;
import dev.semel.http.Problems.Problem;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * An exception that left the handler, and what it means.
 *
 * @param problem as which it is answered; absent when it is the container's to answer
 */
record Thrown(
        Throwable exception,
        Hooks.Exceptions.Meaning meaning,
        @Nullable Problem problem) {
    private static final int DEEPEST = 32;

    /** Where frameworks leave an exception that they have answered themselves. */
    private static final List<String> ANSWERED =
            List.of("org.springframework.web.servlet.DispatcherServlet.EXCEPTION", "jakarta.servlet.error.exception");

    /** Frameworks wrap what their handlers throw, so the causes count, too. */
    static Thrown of(Throwable thrown, Hooks.@Nullable Exceptions exceptions) {
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < DEEPEST; depth++) {
            Meaning meaning = current instanceof VersionMismatch
                    ? Meaning.VERSION_MISMATCH
                    : exceptions == null ? Meaning.FAILURE : exceptions.of(current);
            if (meaning != Meaning.FAILURE) {
                return new Thrown(
                        thrown, meaning, meaning == Meaning.VERSION_MISMATCH ? Nested.versionMismatch() : null);
            }
            Problem problem = Nested.of(current);
            if (problem != null) {
                return new Thrown(thrown, Meaning.FAILURE, problem);
            }
            current = current.getCause();
        }
        return new Thrown(thrown, Meaning.FAILURE, null);
    }

    Failure failure(String operation) {
        Throwable own = unwrapped(exception);
        return Failure.of(
                        Failure.Category.UNKNOWN,
                        "The handler of " + operation + " failed with " + described(own) + ".")
                .withException(own);
    }

    /** Of an answer of 500 and more, with the exception behind it where the framework tells. */
    static Failure failure(HttpServletRequest request, String operation, int status) {
        for (String attribute : ANSWERED) {
            if (request.getAttribute(attribute) instanceof Throwable answered) {
                Throwable own = unwrapped(answered);
                return Failure.of(
                                Failure.Category.UPSTREAM_ERROR,
                                "The handler of " + operation + " answered " + status + " after " + described(own)
                                        + ".")
                        .withException(own);
            }
        }
        return Failure.of(Failure.Category.UPSTREAM_ERROR, "The handler of " + operation + " answered " + status + ".");
    }

    private static String described(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        return thrown.getMessage() == null ? name : name + ": " + thrown.getMessage();
    }

    private static Throwable unwrapped(Throwable thrown) {
        Throwable current = thrown;
        for (int depth = 0; isWrapper(current) && depth < DEEPEST; depth++) {
            current = current.getCause();
        }
        return current;
    }

    private static boolean isWrapper(Throwable thrown) {
        return thrown.getCause() != null
                && (thrown instanceof ServletException
                        || thrown instanceof CompletionException
                        || thrown instanceof ExecutionException
                        || thrown instanceof InvocationTargetException
                        || thrown instanceof UndeclaredThrowableException);
    }
}
