package dev.semel.examples.planner.access;

import dev.semel.http.ProblemCode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.dao.DataAccessException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Rejects requests without a valid token, and sets the caller as the principal of the request. */
final class BearerFilter extends OncePerRequestFilter {
    private static final String SCHEME = "Bearer ";

    private final Tokens tokens;

    BearerFilter(Tokens tokens) {
        this.tokens = tokens;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional<Caller> caller;
        try {
            caller = caller(request);
        } catch (DataAccessException e) {
            logger.warn("token lookup failed; request rejected with 503", e);
            response.setHeader("Retry-After", "1");
            refuse(
                    response,
                    ProblemCode.STORE_UNAVAILABLE,
                    "Rejected: the token could not be checked. Retry the" + " same request.");
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer");
            refuse(
                    response,
                    ProblemCode.UNAUTHENTICATED,
                    "Rejected: the request is not authenticated. Send a" + " valid token: Authorization: Bearer ...");
            return;
        }
        chain.doFilter(new AuthenticatedRequest(request, caller.get()), response);
    }

    private Optional<Caller> caller(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        return header == null || !header.startsWith(SCHEME)
                ? Optional.empty()
                : tokens.caller(header.substring(SCHEME.length()).strip());
    }

    private static void refuse(HttpServletResponse response, ProblemCode code, String detail) throws IOException {
        new ProblemBody(code.status(), code.code(), detail).write(response);
    }
}
