package dev.semel.spring;

import dev.semel.http.IdempotentExchange;
import dev.semel.http.Level;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * At the level SPAN, directly behind the Idempotency-Key filter: flushes the handler's persistence context before its response
 * counts, so that a constraint violation fails the request and not the commit.
 */
final class FlushingFilter implements Filter {
    private final SpringTransactions transactions;

    FlushingFilter(SpringTransactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        chain.doFilter(request, response);
        boolean span = IdempotentExchange.current()
                .filter(exchange -> exchange.level() == Level.SPAN)
                .isPresent();
        boolean kept = response instanceof HttpServletResponse http && http.getStatus() < 400;
        if (span && kept) {
            transactions.settle();
        }
    }
}
