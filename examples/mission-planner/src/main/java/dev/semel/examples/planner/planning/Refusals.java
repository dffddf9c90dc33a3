package dev.semel.examples.planner.planning;

import dev.semel.http.IdempotentExchange;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Writes rejections in the format of Semel's problems. Semel's filter handles version mismatches. */
@RestControllerAdvice
class Refusals {
    @ExceptionHandler
    ProblemDetail answer(Refusal refusal) {
        ProblemDetail problem = ProblemDetail.forStatus(refusal.status());
        problem.setDetail(refusal.getMessage());
        problem.setProperty("code", refusal.code());
        IdempotentExchange.current()
                .ifPresent(exchange -> problem.setProperty("correlation_id", exchange.correlationId()));
        return problem;
    }
}
