package dev.semel.console.admin;

import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.RetryAdvice;
import dev.semel.operator.RetryRates.RetryRate;
import dev.semel.operator.RetryReport.PolicyRetries;
import dev.semel.store.AuditFilter;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** How retries went in a window of time, from the audit. */
final class RetriesResource {
    private static final Duration USUAL = Duration.ofHours(1);

    private final AdminLedger ledger;

    RetriesResource(AdminLedger ledger) {
        this.ledger = ledger;
    }

    private static Duration window(AdminCall call) throws ApiProblem {
        return call.span("window").orElse(USUAL);
    }

    private static AuditFilter filter(AdminCall call) throws ApiProblem {
        return new AuditFilter(call.tenant(), call.operation("operation"), null, null);
    }

    private static Map<String, Object> facts(Duration window) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("window_ms", window.toMillis());
        return facts;
    }

    AdminReply report(AdminCall call) throws ApiProblem {
        Duration window = window(call);
        var report = ledger.operator().retries(filter(call), before(window));
        Map<String, Object> facts = facts(window);
        facts.put(
                "policies",
                report.policies().stream().map(RetriesResource::facts).toList());
        facts.put("complete", report.complete());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(PolicyRetries line) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("policy", line.policy());
        facts.put("category", line.category());
        facts.put("failed_attempts", line.attempts());
        facts.put("succeeded", line.succeeded());
        facts.put("gave_up", line.gaveUp());
        facts.put("success_rate", line.successRate());
        facts.put("average_attempts", line.averageAttempts());
        return facts;
    }

    AdminReply rates(AdminCall call) throws ApiProblem {
        Duration window = window(call);
        var category = RecordsResource.category(call);
        var rates =
                ledger.operator().retryRates(filter(call), before(window), category == null ? null : category.code());
        Map<String, Object> facts = facts(window);
        facts.put("rates", rates.rates().stream().map(RetriesResource::facts).toList());
        facts.put("complete", rates.complete());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(RetryRate rate) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("operation", rate.operation());
        facts.put("category", rate.category());
        facts.put("retries", rate.total());
        facts.put("most_per_minute", rate.highest());
        facts.put("minute", rate.minute().toString());
        return facts;
    }

    AdminReply advice(AdminCall call) throws ApiProblem {
        Duration window = window(call);
        var advice = ledger.operator().retryAdvice(filter(call), before(window));
        Map<String, Object> facts = facts(window);
        facts.put("advice", advice.advice().stream().map(RetriesResource::facts).toList());
        facts.put("complete", advice.complete());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(RetryAdvice advice) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("kind", advice.kind().name());
        facts.put("operation", advice.operation());
        facts.put("policy", advice.policy());
        facts.put("setting", advice.setting());
        facts.put("sentence", advice.sentence());
        facts.put("figures", advice.figures());
        return facts;
    }

    private static Instant before(Duration window) {
        return Instant.ofEpochMilli(TimeSource.system().millis()).minus(window);
    }
}
