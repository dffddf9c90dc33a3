package dev.semel.http.ingress;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Requests without a container, for checks of signatures and rules alone. */
final class FakeRequests {
    private FakeRequests() {}

    static ReceivedRequest of(Map<String, String> headers, byte[] body, long now) {
        Map<String, List<String>> all = new TreeMap<>();
        headers.forEach((name, value) -> all.put(name, List.of(value)));
        return withAll(all, "/", body, now);
    }

    static ReceivedRequest withAll(Map<String, List<String>> headers, String path, byte[] body, long now) {
        Map<String, List<String>> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        byName.putAll(headers);
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                FakeRequests.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getHeaders" -> Collections.enumeration(byName.getOrDefault((String) arguments[0], List.of()));
                    case "getPathInfo" -> path;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        return new ReceivedRequest(request, body, Instant.ofEpochSecond(now));
    }
}
