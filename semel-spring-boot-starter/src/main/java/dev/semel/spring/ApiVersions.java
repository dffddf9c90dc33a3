package dev.semel.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.accept.ApiVersionHolder;
import org.springframework.web.servlet.HandlerMapping;

/** The API version of a request, where the application uses the API versioning of Spring 7. */
final class ApiVersions {
    private static final boolean KNOWN =
            ClassUtils.isPresent("org.springframework.web.accept.ApiVersionHolder", ApiVersions.class.getClassLoader());

    private ApiVersions() {}

    /** @param mapped a request that a mapping has matched */
    static @Nullable String of(HttpServletRequest mapped) {
        return KNOWN ? MappedVersion.in(mapped) : null;
    }

    /** A separate class, because Spring 6 does not have the type. */
    private static final class MappedVersion {
        static @Nullable String in(HttpServletRequest mapped) {
            Object held = mapped.getAttribute(HandlerMapping.API_VERSION_ATTRIBUTE);
            if (!(held instanceof ApiVersionHolder holder) || !holder.hasVersion()) {
                return null;
            }
            Object version = holder.getVersion();
            var text = ReflectionUtils.findMethod(version.getClass(), "toString");
            // A version without toString() would have another text in each request.
            return text == null || text.getDeclaringClass() == Object.class ? null : version.toString();
        }
    }
}
