package dev.semel.spring;

import java.lang.reflect.Constructor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;

/**
 * The original headers of a {@code WebClient} request. A filter gets a read-only wrapper that is created for each subscription; a
 * constructor of {@link HttpHeaders} removes the wrapper. Its parameter type differs between Spring 6 and Spring 7.
 */
final class OutgoingHeaders {
    private static final @Nullable Constructor<HttpHeaders> WRITABLE = writable();

    private OutgoingHeaders() {}

    private static @Nullable Constructor<HttpHeaders> writable() {
        Constructor<HttpHeaders> own = ClassUtils.getConstructorIfAvailable(HttpHeaders.class, HttpHeaders.class);
        return own != null ? own : ClassUtils.getConstructorIfAvailable(HttpHeaders.class, MultiValueMap.class);
    }

    /** Sets a header that later subscriptions to the same request find, if this filter is the first of its client. */
    static void keep(HttpHeaders readOnly, String name, String value) {
        if (WRITABLE != null) {
            BeanUtils.instantiateClass(WRITABLE, readOnly).set(name, value);
        }
    }
}
