package dev.semel.examples.planner.access;

import dev.semel.http.ProblemCode;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Optional;
import org.springframework.dao.DataAccessException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets nobody in without a token that is known, and makes its caller the request's principal. */
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
            logger.warn("A token could not be looked up; the request was refused.", e);
            response.setHeader("Retry-After", "1");
            refuse(response, ProblemCode.STORE_UNAVAILABLE, "The request was not looked at. Send it again, unchanged.");
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer");
            refuse(response, ProblemCode.UNAUTHENTICATED, "Send a token that is valid: Authorization: Bearer ...");
            return;
        }
        chain.doFilter(new Authenticated(request, caller.get()), response);
    }

    private Optional<Caller> caller(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        return header == null || !header.startsWith(SCHEME)
                ? Optional.empty()
                : tokens.caller(header.substring(SCHEME.length()).strip());
    }

    private static void refuse(HttpServletResponse response, ProblemCode code, String detail) throws IOException {
        response.setStatus(code.status());
        response.setContentType("application/problem+json");
        response.getWriter()
                .write("{\"status\":" + code.status() + ",\"code\":\"" + code.code() + "\",\"detail\":\"" + detail
                        + "\"}");
    }

    private static final class Authenticated extends HttpServletRequestWrapper {
        private final Caller caller;

        Authenticated(HttpServletRequest request, Caller caller) {
            super(request);
            this.caller = caller;
        }

        @Override
        public Principal getUserPrincipal() {
            return caller;
        }

        @Override
        public String getRemoteUser() {
            return caller.getName();
        }
    }
}
