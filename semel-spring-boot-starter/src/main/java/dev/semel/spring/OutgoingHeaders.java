package dev.semel.spring;

import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;

/**
 * The headers of a {@code WebClient}'s request as it was put together. A filter sees them through a wrapper that is read-only
 * and made anew for each subscription; a constructor of {@link HttpHeaders} removes it, which takes another type in Spring 6
 * than in Spring 7.
 */
final class OutgoingHeaders {
    private static final @Nullable Constructor<HttpHeaders> WRITABLE = writable();

    private OutgoingHeaders() {}

    private static @Nullable Constructor<HttpHeaders> writable() {
        Constructor<HttpHeaders> own = ClassUtils.getConstructorIfAvailable(HttpHeaders.class, HttpHeaders.class);
        return own != null ? own : ClassUtils.getConstructorIfAvailable(HttpHeaders.class, MultiValueMap.class);
    }

    /** Later subscriptions to the same request find the header, if the filter is the first that saw it. */
    static void keep(HttpHeaders readOnly, String name, String value) {
        if (WRITABLE != null) {
            BeanUtils.instantiateClass(WRITABLE, readOnly).set(name, value);
        }
    }
}
