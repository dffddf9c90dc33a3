package dev.semel.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;

/** The first filter: marks the thread of a request, so that its work is not attributed to another request. */
final class RequestThreadFilter implements Filter {
    private final ConnectionWatch watch;

    RequestThreadFilter(ConnectionWatch watch) {
        this.watch = watch;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean before = watch.enterServing();
        try {
            chain.doFilter(request, response);
        } finally {
            watch.leaveServing(before);
        }
    }
}
