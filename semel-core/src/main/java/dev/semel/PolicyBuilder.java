package dev.semel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Policy}; {@link #build} refuses contradictory and double settings and names all of them at once. */
public final class PolicyBuilder {
    private String name;
    private int maxAttempts = 3;
    private Policy.Backoff backoff = new Policy.Backoff.Exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(30));
    private Policy.Jitter jitter = new Policy.Jitter.Bounded(0.1);
    private Duration maxRetryAfter = Duration.ofHours(1);
    private int budget;
    private Duration attemptTimeout = Duration.ofSeconds(30);
    private @Nullable Duration deadline;
    private Duration lease = Duration.ofSeconds(60);
    private @Nullable Duration redelivery;
    private Policy.Retention retention = Policy.Retention.API;
    private final Map<Class<?>, Policy.Rule> rules = new LinkedHashMap<>();
    private boolean repeatable;
    private boolean storeFailures = true;
    private @Nullable Predicate<? super Throwable> stored;
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
        this.budget = from.retry().budget();
        this.attemptTimeout = from.limits().attemptTimeout();
        this.deadline = from.limits().deadline();
        this.lease = from.limits().lease();
        this.redelivery = from.limits().redelivery();
        this.retention = from.retention();
        this.rules.putAll(from.rules());
        this.repeatable = from.options().repeatable();
        this.storeFailures = from.options().storeFailures();
        this.stored = from.options().stored();
        this.deadLetters = from.options().deadLetters();
        this.deadHead = from.options().deadHead();
    }

    /** Under which operations name it, and configuration changes it. */
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

    /** The delay between attempts, before jitter. */
    public PolicyBuilder withBackoff(Policy.Backoff value) {
        once("backoff");
        backoff = value;
        return this;
    }

    /** The next attempt follows at once; there is nothing to jitter. */
    public PolicyBuilder withoutBackoff() {
        return withBackoff(new Policy.Backoff.None());
    }

    /** The last delay repeats. */
    public PolicyBuilder withDelays(Duration... delays) {
        return withBackoff(new Policy.Backoff.Listed(Arrays.asList(delays)));
    }

    /** The first delay is the base; each next one is larger by the multiplier, up to the cap. */
    public PolicyBuilder withExponentialBackoff(Duration base, double multiplier, Duration cap) {
        return withBackoff(new Policy.Backoff.Exponential(base, multiplier, cap));
    }

    /** A random part of delays, so that callers who failed together do not retry together. */
    public PolicyBuilder withJitter(Policy.Jitter value) {
        once("jitter");
        jitter = value;
        return this;
    }

    /** A Retry-After beyond it ends the record as {@code rate_limited}; an hour by default. */
    public PolicyBuilder withMaxRetryAfter(Duration value) {
        once("max retry-after");
        maxRetryAfter = value;
        return this;
    }

    /** Lets all nodes together begin at most so many retries of one channel in a second; 0 for no limit. */
    public PolicyBuilder withRetryBudget(int perSecond) {
        once("retry budget");
        budget = perSecond;
        return this;
    }

    /** After which a handler is interrupted. */
    public PolicyBuilder withAttemptTimeout(Duration value) {
        once("attempt time-out");
        attemptTimeout = value;
        return this;
    }

    /** From acceptance on; no attempt starts after it. */
    public PolicyBuilder withDeadline(Duration value) {
        once("deadline");
        deadline = value;
        return this;
    }

    /** Attempts may start at any time. */
    public PolicyBuilder withoutDeadline() {
        once("deadline");
        deadline = null;
        return this;
    }

    /** How long after a node's last sign of life its runs may be taken over. It is renewed while a handler runs. */
    public PolicyBuilder withLease(Duration value) {
        once("lease");
        lease = value;
        return this;
    }

    /**
     * The transport may deliver the same work again for so long. {@link #build} refuses a success retention that is shorter: a late
     * duplicate would run as new.
     */
    public PolicyBuilder withRedelivery(Duration window) {
        once("redelivery");
        redelivery = window;
        return this;
    }

    /** The transport gives no time after which it delivers nothing again. */
    public PolicyBuilder withoutRedelivery() {
        once("redelivery");
        redelivery = null;
        return this;
    }

    /** How long finished records are kept: for so long a duplicate is recognised. */
    public PolicyBuilder withRetention(Policy.Retention value) {
        once("retention");
        retention = value;
        return this;
    }

    /** Exceptions of this class, or that implement this interface, are tried again. */
    public PolicyBuilder retryOn(Class<?> type, Failure.Category category) {
        return rule(type, new Policy.Rule(true, category));
    }

    /** Exceptions of this class, or that implement this interface, end the record. */
    public PolicyBuilder failOn(Class<?> type, Failure.Category category) {
        return rule(type, new Policy.Rule(false, category));
    }

    /** Whether an interrupted leased run may be repeated automatically, where its operation declares nothing; false by default. */
    public PolicyBuilder withRepeatable(boolean value) {
        once("repeatable");
        repeatable = value;
        return this;
    }

    /** Whether failures that would be the same again are stored and replayed; true by default. */
    public PolicyBuilder withStoredFailures(boolean value) {
        once("stored failures");
        storeFailures = value;
        return this;
    }

    /**
     * Decides which failures are stored and replayed to retries, in place of their category. In this order:
     *
     * <ol>
     *   <li>What may be retried is not stored while attempts are left: rules and categories decide that first.
     *   <li>An {@code Error} is never stored.
     *   <li>{@code withStoredFailures(false)}, also by configuration, stores nothing.
     *   <li>The predicate decides. If it throws, the category does.
     * </ol>
     *
     * @param which gets the handler's exception, without wrappers such as {@code ExecutionException}
     */
    public PolicyBuilder withStoredFailures(Predicate<? super Throwable> which) {
        once("stored failures");
        storeFailures = true;
        stored = which;
        return this;
    }

    /** Whether what fails for good becomes a dead letter; true by default. */
    public PolicyBuilder withDeadLetters(boolean value) {
        once("dead letters");
        deadLetters = value;
        return this;
    }

    /** Whether a dead message at the head of a lane stops the messages behind it; by default they continue. */
    public PolicyBuilder withDeadHead(Policy.DeadHead value) {
        once("dead head");
        deadHead = value;
        return this;
    }

    /** @throws SemelException.Misconfigured naming every fault of the settings */
    public Policy build() {
        var retry = new Policy.Retry(maxAttempts, backoff, effectiveJitter(), maxRetryAfter, budget);
        var limits = new Policy.Limits(attemptTimeout, deadline, lease, redelivery);
        var all = new ArrayList<>(faults);
        all.addAll(contradictions());
        all.addAll(PolicyBounds.faults(retry, limits, retention, rules));
        PolicyBounds.refuse(name, all);
        var options = new Policy.FailureHandling(repeatable, storeFailures, deadLetters, deadHead, stored);
        return new Policy(name, retry, limits, retention, rules, options);
    }

    private PolicyBuilder rule(Class<?> type, Policy.Rule rule) {
        once("rule for " + type.getName());
        rules.put(type, rule);
        return this;
    }

    private void once(String setting) {
        if (!set.add(setting)) {
            faults.add(setting + " is set twice: keep one of the two");
        }
    }

    private Policy.Jitter effectiveJitter() {
        boolean nothingToJitter = backoff instanceof Policy.Backoff.None && !set.contains("jitter");
        return nothingToJitter ? new Policy.Jitter.None() : jitter;
    }

    private List<String> contradictions() {
        var found = new ArrayList<String>();
        if (backoff instanceof Policy.Backoff.None && !(effectiveJitter() instanceof Policy.Jitter.None)) {
            found.add("jitter is set but there is no backoff to jitter: set a backoff, or no jitter");
        }
        if (set.contains("backoff") && maxAttempts == 1 && backoff instanceof Policy.Backoff.Listed) {
            found.add("delays are listed but there is 1 attempt: raise max attempts or remove the delays");
        }
        if (deadHead == Policy.DeadHead.PARK_LANE && !deadLetters) {
            found.add("a dead head parks its lane but dead letters are off, so nobody could replay it: "
                    + "switch dead letters on, or let the lane continue");
        }
        return found;
    }
}
