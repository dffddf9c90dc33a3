package dev.semel.spring;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Up while the store answers. */
final class SemelHealth extends AbstractHealthIndicator {
    private final Standing standing;

    SemelHealth(Standing standing) {
        super("Semel's store does not answer");
        this.standing = standing;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up().withDetails(standing.details());
    }
}
