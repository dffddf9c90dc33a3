package dev.semel.http;

import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/**
 * A proxy that hides the type of Tomcat's response. After a forward Tomcat searches all wrappers for its own response and ends
 * it, and the bytes that a filter sends afterwards would be lost.
 */
final class HiddenTomcatResponse implements InvocationHandler {
    private static final String TOMCAT = "org.apache.catalina.";

    private final HttpServletResponse response;

    private HiddenTomcatResponse(HttpServletResponse response) {
        this.response = response;
    }

    /** Returns the response itself in other containers, which may need to find it. */
    static HttpServletResponse over(HttpServletResponse response) {
        ServletResponse inner = response;
        while (inner instanceof ServletResponseWrapper wrapper) {
            inner = wrapper.getResponse();
        }
        return inner.getClass().getName().startsWith(TOMCAT)
                ? (HttpServletResponse) Proxy.newProxyInstance(
                        HiddenTomcatResponse.class.getClassLoader(),
                        new Class<?>[] {HttpServletResponse.class},
                        new HiddenTomcatResponse(response))
                : response;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(response, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
