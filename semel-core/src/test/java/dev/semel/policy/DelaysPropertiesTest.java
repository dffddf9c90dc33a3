package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Policy;
import dev.semel.Policy.Backoff;
import dev.semel.Policy.Jitter;
import java.time.Duration;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class DelaysPropertiesTest {
    private static final long TEN_YEARS = Duration.ofDays(3650).toNanos();

    @Provide
    Arbitrary<Backoff.Exponential> exponentials() {
        Arbitrary<Long> nanos = Arbitraries.longs().between(1, TEN_YEARS);
        Arbitrary<Double> multipliers = Arbitraries.doubles().between(1, 1000);
        return Combinators.combine(nanos, nanos, multipliers)
                .as((a, b, multiplier) -> new Backoff.Exponential(
                        Duration.ofNanos(Math.min(a, b)), multiplier, Duration.ofNanos(Math.max(a, b))));
    }

    @Provide
    Arbitrary<Backoff> backoffs() {
        Arbitrary<Backoff> lists = Arbitraries.longs()
                .between(0, TEN_YEARS)
                .map(Duration::ofNanos)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5)
                .map(Backoff.Listed::new);
        return Arbitraries.oneOf(exponentials(), lists, Arbitraries.just(new Backoff.None()));
    }

    @Property
    void delayNeverFallsAndNeverPassesTheCap(
            @ForAll("exponentials") Backoff.Exponential backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt) {
        Duration delay = Delays.capped(backoff, attempt);
        assertThat(delay).isBetween(backoff.base(), backoff.cap());
        assertThat(Delays.capped(backoff, attempt + 1)).isBetween(delay, backoff.cap());
    }

    @Property
    void atTheMillionthAttemptAGrowingDelayIsExactlyItsCap(@ForAll("exponentials") Backoff.Exponential backoff) {
        boolean grows = backoff.multiplier() > 1.001;
        assertThat(Delays.capped(backoff, 1_000_000))
                .isEqualTo(grows ? backoff.cap() : Delays.capped(backoff, 999_999));
    }

    @Property
    void fullJitterIsFromZeroToTheDelay(
            @ForAll("backoffs") Backoff backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt,
            @ForAll long seed) {
        assertThat(jittered(backoff, new Jitter.Full(), attempt, seed))
                .isBetween(Duration.ZERO, Delays.capped(backoff, attempt));
    }

    @Property
    void equalJitterIsFromHalfTheDelayToTheDelay(
            @ForAll("backoffs") Backoff backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt,
            @ForAll long seed) {
        Duration delay = Delays.capped(backoff, attempt);
        assertThat(jittered(backoff, new Jitter.Equal(), attempt, seed)).isBetween(delay.dividedBy(2), delay);
    }

    @Property
    void boundedJitterStaysWithinItsFraction(
            @ForAll("backoffs") Backoff backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt,
            @ForAll @DoubleRange(min = 0, max = 1) double fraction,
            @ForAll long seed) {
        long delay = Delays.capped(backoff, attempt).toNanos();
        long spread = (long) Math.ceil(delay * fraction) + 1;
        long jittered =
                jittered(backoff, new Jitter.Bounded(fraction), attempt, seed).toNanos();
        assertThat(jittered).isBetween(Math.max(0, delay - spread), delay + spread);
    }

    @Property
    void withoutJitterTheDelayIsTheBackoff(
            @ForAll("backoffs") Backoff backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt,
            @ForAll long seed) {
        assertThat(jittered(backoff, new Jitter.None(), attempt, seed)).isEqualTo(Delays.capped(backoff, attempt));
    }

    @Property
    void decorrelatedJitterIsFromTheBaseToThreeTimesThePreviousDelayCapped(
            @ForAll("exponentials") Backoff.Exponential backoff, @ForAll long previousNanos, @ForAll long seed) {
        Duration previous = Duration.ofNanos(previousNanos & Long.MAX_VALUE);
        Duration next = Delays.before(policy(backoff, new Jitter.Decorrelated()), 2, previous, new Random(seed));
        Duration highest = previous.multipliedBy(3);
        assertThat(next).isBetween(backoff.base(), backoff.cap());
        assertThat(next).isLessThanOrEqualTo(highest.compareTo(backoff.base()) < 0 ? backoff.base() : highest);
    }

    @Property
    void sameSeedDecidesTheSameDelay(
            @ForAll("backoffs") Backoff backoff,
            @ForAll @IntRange(min = 1, max = 1_000_000) int attempt,
            @ForAll long seed) {
        assertThat(jittered(backoff, new Jitter.Full(), attempt, seed))
                .isEqualTo(jittered(backoff, new Jitter.Full(), attempt, seed));
    }

    private static Duration jittered(Backoff backoff, Jitter jitter, int attempt, long seed) {
        return Delays.before(policy(backoff, jitter), attempt, null, new Random(seed));
    }

    private static Policy policy(Backoff backoff, Jitter jitter) {
        Policy base = Policy.named("p").build();
        var retry = new Policy.Retry(1_000_000, backoff, jitter, Duration.ofHours(1));
        return new Policy("p", retry, base.limits(), base.retention(), base.rules(), base.options());
    }
}
