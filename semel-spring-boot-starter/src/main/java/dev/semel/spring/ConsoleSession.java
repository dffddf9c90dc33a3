package dev.semel.spring;

import dev.semel.console.access.AdminAccess.AdminAuthentication;
import dev.semel.console.access.Person;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.http.shared.RequestIds;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** Tells the pages who is logged in, and what Spring Security's protection against CSRF expects of them. */
final class ConsoleSession extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final boolean CSRF = ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", null);

    private final transient ConsoleAccess access;

    ConsoleSession(ConsoleAccess access) {
        this.access = access;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        RequestIds ids = RequestIds.of(request, () -> UUID.randomUUID().toString());
        ids.show(response);
        try {
            if (!request.getMethod().equals("GET")) {
                throw new ApiProblem(
                                ApiCode.METHOD_NOT_ALLOWED, "Use GET. People log in and out by the application itself.")
                        .allowing("GET");
            }
            byte[] bytes = JsonMapper.shared().writeValueAsBytes(members(request));
            response.setContentType("application/json");
            response.setHeader("Cache-Control", "no-store");
            response.setHeader("X-Content-Type-Options", "nosniff");
            response.getOutputStream().write(bytes);
        } catch (ApiProblem problem) {
            problem.write(response, ids);
        }
    }

    private Map<String, Object> members(HttpServletRequest request) throws ApiProblem {
        AdminAuthentication result = access.authenticate(request);
        if (!(result instanceof AdminAuthentication.Known known)) {
            throw new ApiProblem(
                    ApiCode.UNAUTHENTICATED,
                    "The request is not authenticated: " + ((AdminAuthentication.Unknown) result).reason() + ".");
        }
        Person person = known.person();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", person.name());
        members.put("role", person.role().code());
        if (person.tenant() == null) {
            members.put("all_tenants", true);
        } else {
            members.put("tenant", person.tenant().name());
        }
        members.put("login", "external");
        if (CSRF && request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token) {
            members.put("csrf_header", token.getHeaderName());
            members.put("csrf_token", token.getToken());
        }
        return members;
    }
}
