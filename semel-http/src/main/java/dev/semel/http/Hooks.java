package dev.semel.http;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What an application may hand to the filter. All of them are called by many threads at once. */
public interface Hooks {

    /** Decides before anything is read or stored whether a request may go on. */
    @FunctionalInterface
    interface RateLimit {
        /** How long the caller must wait; empty to let it pass. */
        Optional<Duration> refusal(HttpServletRequest request);
    }

    /**
     * Decides about requests of other origins (CORS) and sets the headers without which a browser shows their answers to nobody.
     * Asked before everything else: a replay or a refusal never gets as far as a handler that would set them. Not asked of
     * requests that pass untouched. What it sets is never stored, and is not taken back with the handler's answer.
     */
    @FunctionalInterface
    interface Origins {
        /** @return false when the request was refused, and answered: then nothing is looked up or run */
        boolean admits(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    /** Says whose keys a request's key is among; empty to refuse the request as anonymous. */
    @FunctionalInterface
    interface Scopes {
        Optional<Scope> of(HttpServletRequest request);
    }

    /**
     * Asked before the record is looked at, so that a caller who has lost a right is not told a stored answer either. Needed
     * only where rights are checked behind the filter: in the handler, by a method's annotation.
     */
    @FunctionalInterface
    interface Authorization {
        boolean allows(HttpServletRequest request, Scope scope);
    }

    /** Knows the application's routes, for a framework that has its own. */
    @FunctionalInterface
    interface Routes {
        /** Empty to use the filter's own routes. */
        Optional<Found> find(HttpServletRequest request);

        /**
         * @param template as the application writes it: {@code /orders/{id}}; names the operation, so it must not hold values
         * @param values what stands in the template's places
         * @param rule absent to use the filter's rule for the template, or its default
         * @param asynchronous whether the handler answers on another thread, where nothing marks or spans its transaction: the
         *     filter's rule then applies at the level PLAIN
         * @param version of the application's interface, where it has several: equal keys of two versions never meet
         */
        record Found(
                String template,
                Map<String, String> values,
                @Nullable Rule rule,
                boolean asynchronous,
                @Nullable String version) {
            public Found {
                values = Map.copyOf(values);
            }

            /** A handler that answers on the request's thread, of an interface without versions. */
            public Found(String template, Map<String, String> values, @Nullable Rule rule) {
                this(template, values, rule, false, null);
            }

            public Found withValues(Map<String, String> value) {
                return new Found(template, value, rule, asynchronous, version);
            }

            public Found withVersion(@Nullable String value) {
                return new Found(template, values, rule, asynchronous, value);
            }
        }
    }

    /**
     * Writes the body of a refusal that a handler gave by {@code sendError}. It is captured and replayed, so it cannot be left
     * to the container, which writes after the filter.
     */
    @FunctionalInterface
    interface Errors {
        void write(HttpServletRequest request, HttpServletResponse response, int status, @Nullable String message)
                throws IOException, ServletException;
    }

    /**
     * Tells what an exception means that leaves a handler. Asked of the exception and of its causes, the outermost first; the
     * first answer that is not a failure counts.
     */
    @FunctionalInterface
    interface Exceptions {
        Meaning of(Throwable thrown);

        /** What an exception means. */
        enum Meaning {
            /** Nobody knows whether anything took effect, unless the level tells. */
            FAILURE,
            /**
             * The caller was refused, with 401, 403, 413 or 429 for example: it leaves no record and does not count against the
             * route's breaker. The exception passes on, to whoever answers it.
             */
            REFUSAL,
            /** As {@link VersionMismatch}: 409 {@code concurrency.version_mismatch}. */
            VERSION_MISMATCH
        }
    }

    /** Watches what a handler at the level MARKER does beside the transactions that it marks. */
    @FunctionalInterface
    interface Effects {
        /** For an application whose handlers at MARKER change nothing outside the transactions that they mark. */
        Effects ONLY_MARKED = exchange -> Optional::empty;

        /** Called on the handler's thread, before the handler. */
        Watched watch(Exchange exchange);

        /** One request. */
        @FunctionalInterface
        interface Watched {
            /**
             * Asked when the handler has failed: why it may have committed something that no mark tells of, in one sentence for
             * an operator. Empty when it can be told that it has not: then the request may be run again.
             */
            Optional<String> doubt();

            /**
             * Asked when the handler has refused (401, 403, 413, 429): how it is known to have committed something that no mark
             * tells of, in one sentence for an operator. Then the refusal is kept, and the request is not run again.
             */
            default Optional<String> wrote() {
                return Optional.empty();
            }
        }
    }

    /** Puts a request's ids where the log finds them; what it returns is closed when the request leaves the thread. */
    @FunctionalInterface
    interface Logs {
        Entered enter(String correlationId, String requestId);

        /** The ids are in the log's context until this is closed. */
        interface Entered extends AutoCloseable {
            @Override
            void close();
        }
    }

    /** Where a client may learn what became of a request that is UNKNOWN. */
    @FunctionalInterface
    interface StatusLink {
        URI of(HttpServletRequest request, String correlationId);
    }

    /** Is told once that a request took effect, never for a replay: the place to invalidate a cache. */
    @FunctionalInterface
    interface FirstCommit {
        void after(HttpServletRequest request, Exchange exchange);
    }
}
