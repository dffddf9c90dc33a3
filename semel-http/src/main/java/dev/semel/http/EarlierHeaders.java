package dev.semel.http;

import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The headers that a response had before the filter. They stay when the handler's response is reset. */
record EarlierHeaders(List<Map.Entry<String, String>> headers) {
    static EarlierHeaders of(HttpServletResponse response) {
        List<Map.Entry<String, String>> headers = new ArrayList<>();
        // Tomcat names a header once for each of its values.
        Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        names.addAll(response.getHeaderNames());
        for (String name : names) {
            response.getHeaders(name).forEach(value -> headers.add(Map.entry(name, value)));
        }
        return new EarlierHeaders(headers);
    }

    /** Sets them again after a reset. */
    void restore(HttpServletResponse response) {
        Set<String> seen = new HashSet<>();
        headers.forEach(header -> {
            // A container may have restored its own headers already.
            if (seen.add(header.getKey())) {
                response.setHeader(header.getKey(), header.getValue());
            } else {
                response.addHeader(header.getKey(), header.getValue());
            }
        });
    }
}
