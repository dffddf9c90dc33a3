package dev.semel.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;

/** Tells requests of this machine from those that come from elsewhere. */
public final class LocalRequest {
    private static final Set<String> OF_PROXIES = Set.of("forwarded", "via", "x-real-ip");
    private static final String FORWARDED = "x-forwarded-";

    private LocalRequest() {}

    /** Whether it comes from loopback and no proxy says that it passed it on. */
    public static boolean isLocal(HttpServletRequest request) {
        try {
            return Collections.list(request.getHeaderNames()).stream().noneMatch(LocalRequest::isOfProxy)
                    && InetAddress.getByName(request.getRemoteAddr()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    private static boolean isOfProxy(String header) {
        String name = header.toLowerCase(Locale.ROOT);
        return OF_PROXIES.contains(name) || name.startsWith(FORWARDED);
    }
}
