package dev.semel.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.InputStream;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request whose body is already read, and whose asynchronous completion passes through the filter. */
final class SpooledRequest extends ReadRequest {
    private final RequestBody body;
    private final GuardedRequest guarded;
    private @Nullable Map<String, String[]> parameters;
    private @Nullable HeldAsyncContext async;

    SpooledRequest(HttpServletRequest request, RequestBody body, GuardedRequest guarded) {
        super(request);
        this.body = body;
        this.guarded = guarded;
    }

    @Override
    InputStream open() {
        return body.bytes().read();
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values[0];
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(getParameterMap().keySet());
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        String[] values = getParameterMap().get(name);
        return values == null ? null : values.clone();
    }

    /** The container cannot parse a form whose body is consumed; it knows only the query. */
    @Override
    public Map<String, String[]> getParameterMap() {
        Map<String, String[]> all = parameters;
        if (all == null) {
            all = isForm(this) && !RequestBody.wasParsed((HttpServletRequest) getRequest())
                    ? FormFields.merged(super.getParameterMap(), body.bytes(), getCharacterEncoding())
                    : super.getParameterMap();
            parameters = all;
        }
        return all;
    }

    /** Whether the container would turn the fields of the form into parameters. */
    private static boolean isForm(HttpServletRequest request) {
        return "POST".equals(request.getMethod()) && isFormType(request);
    }

    static boolean isFormType(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    @Override
    public boolean isAsyncSupported() {
        return guarded.mayBeAsynchronous() && super.isAsyncSupported();
    }

    @Override
    public AsyncContext startAsync() {
        return startAsync(this, guarded.held());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        if (!guarded.mayBeAsynchronous()) {
            throw new IllegalStateException(
                    "startAsync() failed: at level SPAN the transaction belongs to the request's thread. Use level"
                            + " MARKER for this route.");
        }
        guarded.held().beforeAsync();
        HeldAsyncContext started = new HeldAsyncContext(super.startAsync(request, response), guarded);
        guarded.goesOn();
        async = started;
        return started;
    }

    @Override
    public AsyncContext getAsyncContext() {
        AsyncContext real = super.getAsyncContext();
        HeldAsyncContext known = async;
        return known != null && known.wraps(real) ? known : real;
    }
}
