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
 * A response that nobody can tell from its type to be Tomcat's. Behind a forward Tomcat looks through all wrappers for its own
 * response and ends it, and what a filter sends afterwards is lost.
 */
final class Shield implements InvocationHandler {
    private static final String TOMCAT = "org.apache.catalina.";

    private final HttpServletResponse response;

    private Shield(HttpServletResponse response) {
        this.response = response;
    }

    /** The response itself where the container is another one, which may need to find it. */
    static HttpServletResponse over(HttpServletResponse response) {
        ServletResponse inner = response;
        while (inner instanceof ServletResponseWrapper wrapper) {
            inner = wrapper.getResponse();
        }
        return inner.getClass().getName().startsWith(TOMCAT)
                ? (HttpServletResponse) Proxy.newProxyInstance(
                        Shield.class.getClassLoader(), new Class<?>[] {HttpServletResponse.class}, new Shield(response))
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
