package dev.semel.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.accept.ApiVersionHolder;
import org.springframework.web.servlet.HandlerMapping;

/** The version of the application's interface that a request asks for, where Spring 7 tells versions apart. */
final class ApiVersions {
    private static final boolean KNOWN =
            ClassUtils.isPresent("org.springframework.web.accept.ApiVersionHolder", ApiVersions.class.getClassLoader());

    private ApiVersions() {}

    /** @param mapped has been looked up by a mapping */
    static @Nullable String of(HttpServletRequest mapped) {
        return KNOWN ? Held.in(mapped) : null;
    }

    /** Apart, because Spring 6 has no such type. */
    private static final class Held {
        static @Nullable String in(HttpServletRequest mapped) {
            Object held = mapped.getAttribute(HandlerMapping.API_VERSION_ATTRIBUTE);
            if (!(held instanceof ApiVersionHolder holder) || !holder.hasVersion()) {
                return null;
            }
            Object version = holder.getVersion();
            var text = ReflectionUtils.findMethod(version.getClass(), "toString");
            // One that has no text of its own would be another for each request.
            return text == null || text.getDeclaringClass() == Object.class ? null : version.toString();
        }
    }
}
