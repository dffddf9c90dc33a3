package dev.semel.spring;

import dev.semel.http.Hooks;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.MappingMatch;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Error bodies as Spring Boot writes them, with the same details hidden. The container calls Spring Boot after the filter, when
 * the record is finished; a stored error is therefore written here, by the same controller.
 */
final class BootErrors implements Hooks.Errors {
    private static final String PATH = "${spring.web.error.path:${server.error.path:${error.path:/error}}}";

    private final Supplier<DispatcherServlet> servlet;
    private final String path;

    private BootErrors(Supplier<DispatcherServlet> servlet, String path) {
        this.servlet = servlet;
        this.path = path;
    }

    /** Null where Spring Boot has no error controller. */
    static Optional<Hooks.Errors> of(ApplicationContext context) {
        ClassLoader loader = BootErrors.class.getClassLoader();
        boolean there = Stream.of(
                        "org.springframework.boot.webmvc.error.ErrorController",
                        "org.springframework.boot.web.servlet.error.ErrorController")
                .filter(name -> ClassUtils.isPresent(name, loader))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .anyMatch(type -> context.getBeanNamesForType(type, true, false).length > 0);
        if (!there || context.getBeanNamesForType(DispatcherServlet.class, true, false).length != 1) {
            return Optional.empty();
        }
        // The servlet is created after the filter.
        return Optional.of(new BootErrors(
                SingletonSupplier.of(() -> context.getBean(DispatcherServlet.class)),
                context.getEnvironment().resolvePlaceholders(PATH)));
    }

    @Override
    public void write(HttpServletRequest request, HttpServletResponse response, int status, @Nullable String message)
            throws IOException, ServletException {
        servlet.get().service(new ErrorRequest(request, path, status, message), response);
    }

    /** A request as the container dispatches it to the error page. */
    private static final class ErrorRequest extends RequestCopy {
        private final String prefix;
        private final String path;

        ErrorRequest(HttpServletRequest request, String path, int status, @Nullable String message) {
            super(request);
            this.prefix = request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH
                    ? request.getServletPath()
                    : "";
            this.path = path;
            setAttribute(RequestDispatcher.ERROR_STATUS_CODE, status);
            setAttribute(RequestDispatcher.ERROR_MESSAGE, message == null ? "" : message);
            setAttribute(RequestDispatcher.ERROR_REQUEST_URI, request.getRequestURI());
            setAttribute(
                    RequestDispatcher.ERROR_SERVLET_NAME,
                    request.getHttpServletMapping().getServletName());
            removeAttribute(WebAsyncUtils.WEB_ASYNC_MANAGER_ATTRIBUTE);
        }

        @Override
        public DispatcherType getDispatcherType() {
            return DispatcherType.ERROR;
        }

        @Override
        public String getRequestURI() {
            return getContextPath() + prefix + path;
        }

        @Override
        public StringBuffer getRequestURL() {
            StringBuffer url = super.getRequestURL();
            String before = super.getRequestURI();
            return new StringBuffer(url.substring(0, Math.max(0, url.length() - before.length())))
                    .append(getRequestURI());
        }

        @Override
        public String getServletPath() {
            return prefix.isEmpty() ? path : prefix;
        }

        @Override
        public @Nullable String getPathInfo() {
            return prefix.isEmpty() ? null : path;
        }
    }
}
