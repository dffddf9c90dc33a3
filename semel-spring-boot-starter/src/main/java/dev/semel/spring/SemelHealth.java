package dev.semel.spring;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while the store is available. */
final class SemelHealth extends AbstractHealthIndicator {
    private final LedgerStatus status;

    SemelHealth(LedgerStatus status) {
        super("health check failed: Semel's store is unavailable");
        this.status = status;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up().withDetails(status.details());
    }
}
