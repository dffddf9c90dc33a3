package dev.semel.spring;

import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * What stands in front of the API of the console beside the application's security: nobody without a role, and no change that a page of
 * another site asked the browser for. The application's cookies would be sent with it, whatever the application does about CSRF.
 */
final class ConsoleGate extends HttpFilter {
    static final String HEADER = "X-Semel-Console";
    private static final long serialVersionUID = 1;
    private static final Set<String> READING = Set.of("GET", "HEAD", "OPTIONS");
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final transient ConsoleAccess access;

    ConsoleGate(ConsoleAccess access) {
        this.access = access;
    }

    @Override
    protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            demand(request);
        } catch (ApiProblem problem) {
            RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
            ids.show(response);
            problem.write(response, ids);
            return;
        }
        chain.doFilter(request, response);
    }

    private void demand(HttpServletRequest request) throws ApiProblem {
        if (access.isWithoutRole(request)) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED,
                    "None of your authorities is one of the console: semel.console.viewer-authorities and the like.");
        }
        if (READING.contains(request.getMethod())) {
            return;
        }
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        boolean foreign = site != null
                ? !OWN_SITES.contains(site.toLowerCase(Locale.ROOT))
                : origin != null && !origin.endsWith("://" + request.getHeader("Host"));
        if (foreign) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED, "The request comes from a page of another site. Nothing was done.");
        }
        if (request.getHeader(HEADER) == null) {
            throw new ApiProblem(
                    ApiCode.ACCESS_DENIED, "The header " + HEADER + " is missing: send it with 1. Nothing was done.");
        }
    }
}
