package dev.semel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Policy}; {@link #build} refuses contradictory and double settings and names all of them at once. */
public final class PolicyBuilder {
    private static final Duration LONGEST = Duration.ofDays(3650);

    private String name;
    private int maxAttempts = 3;
    private Policy.Backoff backoff = new Policy.Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(30));
    private Policy.Jitter jitter = new Policy.Jitter.Bounded(0.1);
    private Duration maxRetryAfter = Duration.ofHours(1);
    private Duration attemptTimeout = Duration.ofSeconds(30);
    private @Nullable Duration deadline;
    private Duration lease = Duration.ofSeconds(60);
    private Policy.Retention retention = Policy.Retention.API;
    private final Map<Class<? extends Throwable>, Policy.Rule> rules = new LinkedHashMap<>();
    private boolean repeatable;
    private boolean storeFailures = true;
    private boolean deadLetters = true;
    private Policy.DeadHead deadHead = Policy.DeadHead.CONTINUE;

    private final Set<String> set = new HashSet<>();
    private final List<String> faults = new ArrayList<>();

    PolicyBuilder(String name) {
        this.name = name;
    }

    PolicyBuilder(Policy from) {
        this.name = from.name();
        this.maxAttempts = from.retry().maxAttempts();
        this.backoff = from.retry().backoff();
        this.jitter = from.retry().jitter();
        this.maxRetryAfter = from.retry().maxRetryAfter();
        this.attemptTimeout = from.limits().attemptTimeout();
        this.deadline = from.limits().deadline();
        this.lease = from.limits().lease();
        this.retention = from.retention();
        this.rules.putAll(from.rules());
        this.repeatable = from.options().repeatable();
        this.storeFailures = from.options().storeFailures();
        this.deadLetters = from.options().deadLetters();
        this.deadHead = from.options().deadHead();
    }

    public PolicyBuilder withName(String value) {
        once("name");
        name = value;
        return this;
    }

    /** The first attempt included. */
    public PolicyBuilder withMaxAttempts(int value) {
        once("max attempts");
        maxAttempts = value;
        return this;
    }

    public PolicyBuilder withoutBackoff() {
        once("backoff");
        backoff = new Policy.Backoff.None();
        return this;
    }

    public PolicyBuilder withDelays(Duration... delays) {
        once("backoff");
        backoff = new Policy.Backoff.Listed(Arrays.asList(delays));
        return this;
    }

    public PolicyBuilder withExponentialBackoff(Duration base, double multiplier, Duration cap) {
        once("backoff");
        backoff = new Policy.Backoff.Exponential(base, multiplier, cap);
        return this;
    }

    public PolicyBuilder withJitter(Policy.Jitter value) {
        once("jitter");
        jitter = value;
        return this;
    }

    public PolicyBuilder withMaxRetryAfter(Duration value) {
        once("max retry-after");
        maxRetryAfter = value;
        return this;
    }

    public PolicyBuilder withAttemptTimeout(Duration value) {
        once("attempt time-out");
        attemptTimeout = value;
        return this;
    }

    public PolicyBuilder withDeadline(Duration value) {
        once("deadline");
        deadline = value;
        return this;
    }

    public PolicyBuilder withLease(Duration value) {
        once("lease");
        lease = value;
        return this;
    }

    public PolicyBuilder withRetention(Policy.Retention value) {
        once("retention");
        retention = value;
        return this;
    }

    public PolicyBuilder retryOn(Class<? extends Throwable> type, Failure.Category category) {
        return rule(type, new Policy.Rule(true, category));
    }

    public PolicyBuilder failOn(Class<? extends Throwable> type, Failure.Category category) {
        return rule(type, new Policy.Rule(false, category));
    }

    /** An interrupted leased run may be run again by itself. */
    public PolicyBuilder withRepeatable(boolean value) {
        once("repeatable");
        repeatable = value;
        return this;
    }

    public PolicyBuilder withStoredFailures(boolean value) {
        once("stored failures");
        storeFailures = value;
        return this;
    }

    public PolicyBuilder withDeadLetters(boolean value) {
        once("dead letters");
        deadLetters = value;
        return this;
    }

    public PolicyBuilder withDeadHead(Policy.DeadHead value) {
        once("dead head");
        deadHead = value;
        return this;
    }

    /** @throws SemelException.Misconfigured naming every fault of the settings */
    public Policy build() {
        check();
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("policy " + name, faults);
        }
        return new Policy(
                name,
                new Policy.Retry(maxAttempts, backoff, jitter, maxRetryAfter),
                new Policy.Limits(attemptTimeout, deadline, lease),
                retention,
                rules,
                new Policy.Options(repeatable, storeFailures, deadLetters, deadHead));
    }

    private PolicyBuilder rule(Class<? extends Throwable> type, Policy.Rule rule) {
        once("rule for " + type.getName());
        rules.put(type, rule);
        return this;
    }

    private void once(String setting) {
        if (!set.add(setting)) {
            faults.add(setting + " is set twice: keep one of the two");
        }
    }

    private void check() {
        fault(maxAttempts < 1 || maxAttempts > 1_000_000, "max attempts is " + maxAttempts + ": use 1 to 1000000");
        positive("attempt time-out", attemptTimeout);
        positive("lease", lease);
        positive("max retry-after", maxRetryAfter);
        positive("success retention", retention.success());
        positive("failure retention", retention.failure());
        positive("dead-letter retention", retention.deadLetters());
        if (deadline != null) {
            positive("deadline", deadline);
        }
        checkBackoff();
        if (jitter instanceof Policy.Jitter.Bounded bounded) {
            fault(
                    !(bounded.fraction() >= 0 && bounded.fraction() <= 1),
                    "jitter fraction is " + bounded.fraction() + ": use 0 to 1");
        }
        fault(
                jitter instanceof Policy.Jitter.Decorrelated && !(backoff instanceof Policy.Backoff.Exponential),
                "decorrelated jitter needs an exponential backoff: it grows from the base to the cap");
        fault(
                set.contains("backoff") && maxAttempts == 1 && backoff instanceof Policy.Backoff.Listed,
                "delays are listed but there is 1 attempt: raise max attempts or remove the delays");
    }

    private void checkBackoff() {
        if (backoff instanceof Policy.Backoff.Listed listed) {
            fault(listed.delays().isEmpty(), "the list of delays is empty: give at least one, or use no backoff");
            listed.delays().forEach(d -> notNegative("delay", d));
        } else if (backoff instanceof Policy.Backoff.Exponential exponential) {
            positive("backoff base", exponential.base());
            positive("backoff cap", exponential.cap());
            fault(
                    !(exponential.multiplier() >= 1 && exponential.multiplier() <= 1000),
                    "backoff multiplier is " + exponential.multiplier() + ": use 1 to 1000");
            fault(
                    exponential.cap().compareTo(exponential.base()) < 0,
                    "backoff cap " + exponential.cap() + " is below its base " + exponential.base()
                            + ": raise the cap or lower the base");
        }
    }

    private void positive(String what, Duration value) {
        fault(value.isZero() || value.isNegative(), what + " is " + value + ": it must be above zero");
        fault(value.compareTo(LONGEST) > 0, what + " is " + value + ": at most " + LONGEST);
    }

    private void notNegative(String what, Duration value) {
        fault(value.isNegative(), what + " is " + value + ": it must not be negative");
        fault(value.compareTo(LONGEST) > 0, what + " is " + value + ": at most " + LONGEST);
    }

    private void fault(boolean wrong, String sentence) {
        if (wrong) {
            faults.add(sentence);
        }
    }
}
