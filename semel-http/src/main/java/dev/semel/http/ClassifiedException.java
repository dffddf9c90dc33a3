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
 * An exception that left the handler, and its meaning.
 *
 * @param problem the response to it; null when the container responds
 */
record ClassifiedException(
        Throwable exception,
        Hooks.Exceptions.Meaning meaning,
        @Nullable Problem problem) {
    private static final int DEEPEST = 32;

    /** Request attributes in which frameworks store an exception that they have handled. */
    private static final List<String> ANSWERED =
            List.of("org.springframework.web.servlet.DispatcherServlet.EXCEPTION", "jakarta.servlet.error.exception");

    /** Frameworks wrap exceptions of handlers, so the causes count too. */
    static ClassifiedException of(Throwable thrown, Hooks.@Nullable Exceptions exceptions) {
        Throwable current = thrown;
        for (int depth = 0; current != null && depth < DEEPEST; depth++) {
            Meaning meaning = current instanceof VersionMismatch
                    ? Meaning.VERSION_MISMATCH
                    : exceptions == null ? Meaning.FAILURE : exceptions.of(current);
            if (meaning != Meaning.FAILURE) {
                return new ClassifiedException(
                        thrown,
                        meaning,
                        meaning == Meaning.VERSION_MISMATCH ? NestedAnswerToProblem.versionMismatch() : null);
            }
            Problem problem = NestedAnswerToProblem.of(current);
            if (problem != null) {
                return new ClassifiedException(thrown, Meaning.FAILURE, problem);
            }
            current = current.getCause();
        }
        return new ClassifiedException(thrown, Meaning.FAILURE, null);
    }

    Failure failure(String operation) {
        Throwable own = unwrapped(exception);
        return Failure.of(
                        Failure.Category.UNKNOWN,
                        "The handler of " + operation + " failed with " + described(own) + ".")
                .withException(own);
    }

    /** The failure behind a response of 500 or more, with its exception where the framework has stored it. */
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
