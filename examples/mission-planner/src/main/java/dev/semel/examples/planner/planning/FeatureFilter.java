package dev.semel.examples.planner.planning;

import dev.semel.Failure;
import dev.semel.examples.planner.access.Caller;
import dev.semel.examples.planner.access.Features;
import dev.semel.examples.planner.access.ProblemBody;
import dev.semel.examples.planner.access.Quotas;
import dev.semel.http.ProblemCode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Rejects requests for a feature that is disabled for the caller's organisation. It is in front of Semel's filter: the rejection
 * leaves no record, so the same key works once the feature is enabled. The rejection is in the change history before it is answered.
 */
final class FeatureFilter extends OncePerRequestFilter {
    /** The path of the feature {@link Features#ANNOUNCEMENTS}. */
    static final String ANNOUNCEMENTS = "/v1/announcements";

    private static final Pattern ID = Pattern.compile("[!-~]{1,128}");

    private final Features features;
    private final Quotas quotas;
    private final ChangeHistory trail;

    FeatureFilter(Features features, Quotas quotas, ChangeHistory trail) {
        this.features = features;
        this.quotas = quotas;
        this.trail = trail;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!(request.getUserPrincipal() instanceof Caller caller)) {
            throw new ServletException("FeatureFilter must be behind BearerFilter.");
        }
        Optional<ProblemBody> rejection;
        try {
            rejection = features.isDisabled(caller.organisation(), Features.ANNOUNCEMENTS)
                    ? Optional.of(rejected(caller, request, response))
                    : Optional.empty();
        } catch (DataAccessException e) {
            logger.warn("feature check failed; request rejected with 503", e);
            response.setHeader("Retry-After", "1");
            rejection = Optional.of(new ProblemBody(
                    ProblemCode.STORE_UNAVAILABLE.status(),
                    ProblemCode.STORE_UNAVAILABLE.code(),
                    "Rejected: the feature could not be checked. Retry the same request."));
        }
        if (rejection.isPresent()) {
            rejection.get().write(response);
        } else {
            chain.doFilter(request, response);
        }
    }

    private ProblemBody rejected(Caller caller, HttpServletRequest request, HttpServletResponse response) {
        Optional<Duration> wait = quotas.refusal(caller);
        if (wait.isPresent()) {
            response.setHeader("Retry-After", Long.toString(wait.get().toSeconds() + 1));
            return new ProblemBody(
                    ProblemCode.RATE_LIMITED.status(), ProblemCode.RATE_LIMITED.code(), "Rejected: too many requests.");
        }
        String requestId = id(request.getHeader("X-Request-ID"));
        String correlationId = id(request.getHeader("X-Correlation-ID"));
        response.setHeader("X-Request-ID", requestId);
        response.setHeader("X-Correlation-ID", correlationId);
        String category = Failure.Category.DISABLED.code();
        trail.rejected(
                caller,
                "feature/" + Features.ANNOUNCEMENTS,
                new ChangeHistory.Origin(
                        request.getMethod() + " " + ANNOUNCEMENTS, null, null, requestId, correlationId),
                category);
        return new ProblemBody(
                HttpServletResponse.SC_FORBIDDEN,
                "feature.disabled",
                "Rejected: announcements are disabled for your organisation. Nothing was stored; do not retry before they"
                        + " are enabled.",
                Map.of("category", category, "correlation_id", correlationId));
    }

    private static String id(@Nullable String header) {
        return header != null && ID.matcher(header).matches()
                ? header
                : UUID.randomUUID().toString();
    }
}
