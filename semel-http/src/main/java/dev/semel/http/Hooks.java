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

/** Extension points of the filter. Many threads call them concurrently. */
public interface Hooks {

    /** Rate limit, checked before anything is read or stored. */
    @FunctionalInterface
    interface RateLimit {
        /** How long the caller must wait; empty to let it pass. */
        Optional<Duration> refusal(HttpServletRequest request);
    }

    /**
     * Checks requests of other origins (CORS) and sets the response headers that browsers require. Called first: a replay or a
     * rejection never reaches a handler that would set them. Not called for requests that pass untouched. Its headers are never
     * stored, and stay when the handler's response is reset.
     */
    @FunctionalInterface
    interface Origins {
        /** @return false when the hook has rejected the request and written the response; then nothing runs */
        boolean admits(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    /** The scope of the keys of a request; empty to reject the request as unauthenticated. */
    @FunctionalInterface
    interface Scopes {
        /** Called once for each request that has a rule. */
        Optional<KeyScope> of(HttpServletRequest request);
    }

    /**
     * Called before the record is read, so that a caller who has lost a right does not get a stored response either. Needed
     * only where rights are checked behind the filter: in the handler, or by an annotation on its method.
     */
    @FunctionalInterface
    interface Authorization {
        /** @return false to reject the request with 403 */
        boolean allows(HttpServletRequest request, KeyScope scope);
    }

    /** Finds the route of a request in the framework of the application. */
    @FunctionalInterface
    interface Routes {
        /** Empty to use the filter's own routes. */
        Optional<FoundRoute> find(HttpServletRequest request);

        /**
         * @param template as the application writes it: {@code /orders/{id}}; names the operation, so it must not hold values
         * @param values the values of the template's variables
         * @param rule absent to use the filter's rule for the template, or its default
         * @param asynchronous whether the handler responds on another thread, where its transaction cannot be marked or joined:
         *     the filter's rule then applies at the level PLAIN
         * @param version the API version, where the application has several: equal keys of two versions are different keys
         */
        record FoundRoute(
                String template,
                Map<String, String> values,
                @Nullable Rule rule,
                boolean asynchronous,
                @Nullable String version) {
            public FoundRoute {
                values = Map.copyOf(values);
            }

            /** A handler that responds on the request's thread, of an API without versions. */
            public FoundRoute(String template, Map<String, String> values, @Nullable Rule rule) {
                this(template, values, rule, false, null);
            }

            /** The same route with other values. */
            public FoundRoute withValues(Map<String, String> value) {
                return new FoundRoute(template, value, rule, asynchronous, version);
            }

            /** The same route of an API version; null for an API without versions. */
            public FoundRoute withVersion(@Nullable String value) {
                return new FoundRoute(template, values, rule, asynchronous, value);
            }
        }
    }

    /** Changes the rule of a single request, after its route was found. Test support changes levels in this way. */
    @FunctionalInterface
    interface RequestRules {
        /** @return the rule to use, or the given one */
        Rule of(HttpServletRequest request, Rule rule);
    }

    /**
     * Writes the body of an error that a handler sent with {@code sendError}. The body is stored and replayed, so the container,
     * which writes after the filter, cannot write it.
     */
    @FunctionalInterface
    interface Errors {
        /** @param status as the handler gave it */
        void write(HttpServletRequest request, HttpServletResponse response, int status, @Nullable String message)
                throws IOException, ServletException;
    }

    /**
     * The meaning of an exception that leaves a handler. Called with the exception and its causes, the outermost first; the first
     * meaning other than FAILURE counts.
     */
    @FunctionalInterface
    interface Exceptions {
        /** The meaning of one exception; FAILURE where nothing else is known. */
        Meaning of(Throwable thrown);

        /** The meaning of an exception. */
        enum Meaning {
            /** The handler failed; the level decides whether it may have taken effect. */
            FAILURE,
            /**
             * The request is rejected, with 401, 403, 413 or 429 for example: it leaves no record and does not count against the
             * route's breaker. The exception is rethrown to the framework or the container.
             */
            REFUSAL,
            /** As {@link VersionMismatch}: 409 {@code concurrency.version_mismatch}. */
            VERSION_MISMATCH
        }
    }

    /** Watches a handler at the level MARKER for effects outside its marked transactions. */
    @FunctionalInterface
    interface Effects {
        /** For an application whose handlers at MARKER change nothing outside marked transactions. */
        Effects ONLY_MARKED = exchange -> Optional::empty;

        /** Called on the handler's thread, before the handler. */
        HandlerWatch watch(IdempotentExchange exchange);

        /** The watch on one request. */
        @FunctionalInterface
        interface HandlerWatch {
            /**
             * Called when the handler has failed: why it may have committed an unmarked effect, in one sentence for an operator.
             * Empty when it certainly has not: then the request may run again.
             */
            Optional<String> doubt();

            /**
             * Called when the handler has rejected the request (401, 403, 413, 429): how it is known to have committed an
             * unmarked effect, in one sentence for an operator. Then the rejection is stored, and the request does not run again.
             */
            default Optional<String> wrote() {
                return Optional.empty();
            }
        }
    }

    /** Puts the ids of a request into the log context; the result is closed when the request leaves the thread. */
    @FunctionalInterface
    interface Logs {
        /** Called on each thread that works for the request. */
        LogContext enter(String correlationId, String requestId);

        /** The ids are in the log context until this is closed. */
        interface LogContext extends AutoCloseable {
            @Override
            void close();
        }
    }

    /** The URL where a client finds the outcome of a request that is UNKNOWN. */
    @FunctionalInterface
    interface StatusLink {
        /** @param correlationId as the client got it */
        URI of(HttpServletRequest request, String correlationId);
    }

    /** Called once after a request took effect, never for a replay: the place to invalidate a cache. */
    @FunctionalInterface
    interface FirstCommit {
        /** An exception that it throws is logged and changes nothing. */
        void after(HttpServletRequest request, IdempotentExchange exchange);
    }
}
