package dev.semel.examples.planner.access;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * A rejection by a filter in front of Semel's, in the format of Semel's problems.
 *
 * @param more further members
 */
public record ProblemBody(int status, String code, String detail, Map<String, String> more) {
    public ProblemBody(int status, String code, String detail) {
        this(status, code, detail, Map.of());
    }

    /** Writes the whole response but for headers. */
    public void write(HttpServletResponse response) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("status", status);
        members.put("code", code);
        members.put("detail", detail);
        members.putAll(more);
        response.setStatus(status);
        response.setContentType("application/problem+json");
        response.getOutputStream().write(JsonMapper.shared().writeValueAsBytes(members));
    }
}
