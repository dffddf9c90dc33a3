package dev.semel.examples.planner.planning;

import dev.semel.http.IdempotentExchange;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Refusals in the shape that Semel's own have. A version mismatch is left to Semel's filter. */
@RestControllerAdvice
class Refusals {
    @ExceptionHandler
    ProblemDetail answer(Refusal refusal) {
        ProblemDetail problem = ProblemDetail.forStatus(refusal.status());
        problem.setDetail(refusal.getMessage());
        problem.setProperty("code", refusal.code());
        IdempotentExchange.current().ifPresent(exchange -> problem.setProperty("correlation_id", exchange.correlationId()));
        return problem;
    }
}
