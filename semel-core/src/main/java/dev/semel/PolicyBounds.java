package dev.semel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The limits of all policies, so that delays and due times can be computed without overflow. Reports every fault, not
 * only the first.
 */
final class PolicyBounds {
    private static final Duration LONGEST = Duration.ofDays(3650);
    private static final int MOST_ATTEMPTS = 1_000_000;

    private final List<String> faults = new ArrayList<>();

    private PolicyBounds() {}

    static List<String> faults(
            Policy.Retry retry, Policy.Limits limits, Policy.Retention retention, Map<Class<?>, Policy.Rule> rules) {
        var bounds = new PolicyBounds();
        bounds.check(retry);
        bounds.check(limits);
        bounds.check(retention);
        bounds.checkDedupeWindow(retention.success(), limits.redelivery());
        rules.keySet().forEach(bounds::checkRule);
        return bounds.faults;
    }

    static void refuse(String policy, List<String> faults) {
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("policy " + policy, faults);
        }
    }

    private void check(Policy.Retry retry) {
        int attempts = retry.maxAttempts();
        fault(
                attempts < 1 || attempts > MOST_ATTEMPTS,
                "max attempts is " + attempts + ": use 1 to " + MOST_ATTEMPTS + ", the first one included");
        positive("max retry-after", retry.maxRetryAfter());
        fault(retry.budget() < 0, "retry budget is " + retry.budget() + " a second: use 0 for no limit, or more");
        check(retry.backoff());
        if (retry.jitter() instanceof Policy.Jitter.Bounded bounded) {
            double fraction = bounded.fraction();
            fault(!(fraction >= 0 && fraction <= 1), "jitter fraction is " + fraction + ": use 0 to 1");
        }
        fault(
                retry.jitter() instanceof Policy.Jitter.Decorrelated
                        && !(retry.backoff() instanceof Policy.Backoff.Exponential),
                "decorrelated jitter needs an exponential backoff: it grows from the base to the cap");
    }

    private void check(Policy.Backoff backoff) {
        if (backoff instanceof Policy.Backoff.Listed listed) {
            fault(listed.delays().isEmpty(), "the list of delays is empty: give at least one, or use no backoff");
            for (Duration delay : listed.delays()) {
                fault(delay.isNegative(), "delay is " + delay + ": it must not be negative");
                notTooLong("delay", delay);
            }
        } else if (backoff instanceof Policy.Backoff.Exponential exponential) {
            positive("backoff base", exponential.base());
            positive("backoff cap", exponential.cap());
            double multiplier = exponential.multiplier();
            fault(!(multiplier >= 1 && multiplier <= 1000), "backoff multiplier is " + multiplier + ": use 1 to 1000");
            fault(
                    exponential.cap().compareTo(exponential.base()) < 0,
                    "backoff cap " + exponential.cap() + " is below its base " + exponential.base()
                            + ": raise the cap or lower the base");
        }
    }

    private void check(Policy.Limits limits) {
        positive("attempt time-out", limits.attemptTimeout());
        positive("lease", limits.lease());
        if (limits.deadline() != null) {
            positive("deadline", limits.deadline());
        }
    }

    private void check(Policy.Retention retention) {
        positive("success retention", retention.success());
        positive("failure retention", retention.failure());
        positive("dead-letter retention", retention.deadLetters());
    }

    /** A record must be remembered for as long as its transport may deliver it again, or a late duplicate runs as new. */
    private void checkDedupeWindow(Duration remembered, @Nullable Duration redelivery) {
        if (redelivery != null) {
            positive("redelivery", redelivery);
            fault(
                    remembered.compareTo(redelivery) < 0,
                    "success retention " + remembered + " is shorter than the redelivery window " + redelivery
                            + " of the transport, and a duplicate after it would run as new: use a longer retention, or shorten"
                            + " the redelivery");
        }
    }

    private void checkRule(Class<?> type) {
        boolean canBeThrown = Throwable.class.isAssignableFrom(type) || type.isInterface() && !type.isAnnotation();
        fault(
                !canBeThrown,
                "the rule for " + type.getName()
                        + " can never match: name an exception class, or an interface that exceptions implement");
    }

    private void positive(String what, Duration value) {
        fault(value.isZero() || value.isNegative(), what + " is " + value + ": it must be above zero");
        notTooLong(what, value);
    }

    private void notTooLong(String what, Duration value) {
        fault(value.compareTo(LONGEST) > 0, what + " is " + value + ": at most " + LONGEST);
    }

    private void fault(boolean wrong, String sentence) {
        if (wrong) {
            faults.add(sentence);
        }
    }
}
