package dev.semel.examples.planner.access;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * The login of Semel's console: the browser asks for a name and a password, which are the person and the token. The token is looked up with each
 * request, so a revoked one is rejected at once.
 */
final class ConsoleLogin extends OncePerRequestFilter {
    private static final String SCHEME = "Basic ";

    private final Tokens tokens;

    ConsoleLogin(Tokens tokens) {
        this.tokens = tokens;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional<Caller> caller;
        try {
            caller = caller(request.getHeader(HttpHeaders.AUTHORIZATION));
        } catch (DataAccessException e) {
            logger.warn("token lookup failed; request to the console rejected with 503", e);
            response.setHeader(HttpHeaders.RETRY_AFTER, "1");
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        if (caller.isEmpty()) {
            response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Basic realm=\"Mission planner\", charset=\"UTF-8\"");
            response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
            response.setContentType("text/plain; charset=utf-8");
            response.getWriter().println("Log in with your name and your token.");
            return;
        }
        chain.doFilter(new AuthenticatedRequest(request, caller.get()), response);
    }

    private Optional<Caller> caller(@Nullable String header) {
        if (header == null || !header.startsWith(SCHEME)) {
            return Optional.empty();
        }
        String[] login = decoded(header.substring(SCHEME.length())).split(":", 2);
        return login.length < 2
                ? Optional.empty()
                : tokens.caller(login[1]).filter(found -> found.person().equals(login[0]));
    }

    private static String decoded(String text) {
        try {
            return new String(Base64.getDecoder().decode(text.strip()), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }
}
