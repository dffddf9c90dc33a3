package dev.semel.policy;

import dev.semel.Policy;
import dev.semel.SemelException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A record must be remembered for as long as its transport may deliver it again, or a late duplicate runs as new. */
public final class DedupeWindow {
    private DedupeWindow() {}

    /** The fault, if the policy forgets a completed record before the transport stops redelivering it. */
    public static Optional<String> fault(Policy policy, Duration redelivery) {
        Duration remembered = policy.retention().success();
        if (remembered.compareTo(redelivery) >= 0) {
            return Optional.empty();
        }
        return Optional.of("policy " + policy.name() + " remembers a completed record for " + remembered
                + ", but its transport may deliver it again for " + redelivery
                + ", and a duplicate after that would run as new: use a longer retention, or shorten the redelivery");
    }

    /** @throws SemelException.Misconfigured when {@link #fault} finds one */
    public static void check(Policy policy, Duration redelivery) {
        fault(policy, redelivery).ifPresent(fault -> {
            throw new SemelException.Misconfigured("dedupe window", List.of(fault));
        });
    }
}
