package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Channel.RateLimit;
import dev.semel.SemelException;
import dev.semel.store.Permits;
import dev.semel.testkit.fault.ForwardingPermits;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many permits a node takes from the store, and when. */
class SharedBucketTest {
    private static final RateLimit TEN = RateLimit.perSecond(10);
    private static final RateLimit MANY = RateLimit.perSecond(1_000);

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private final MemoryStore store = new MemoryStore(time);
    private final List<Integer> taken = new ArrayList<>();
    private boolean away;

    /** A node's bucket; it records how many permits are asked for. */
    private SharedBucket bucket(RateLimit limit) {
        Permits recording = new ForwardingPermits(store.permits().orElseThrow()) {
            @Override
            public Taken take(Take take) {
                if (away) {
                    throw new SemelException.StoreUnavailable("simulated");
                }
                taken.add(take.wanted());
                assertThat(taken).as("asked again and again").hasSizeLessThan(100);
                return super.take(take);
            }
        };
        return new SharedBucket(PermitBucket.BucketKey.of(limit, "buy", "", false), recording, time);
    }

    /** How many permits another node gets now. */
    private int leftForOthers(RateLimit limit) {
        SharedBucket other = bucket(limit);
        int count = 0;
        while (other.tryTake() == 0) {
            count++;
        }
        taken.clear();
        return count;
    }

    private SharedBucket owingThree() {
        SharedBucket bucket = bucket(TEN);
        away = true;
        bucket.spend(3);
        away = false;
        return bucket;
    }

    @Test
    void messagesThatTheStoreWasNotToldOfArePaidForWithTheNextCall() {
        SharedBucket bucket = owingThree();
        assertThat(bucket.isUnused()).as("while it owes").isFalse();
        assertThat(Duration.ofNanos(bucket.waitNanos())).isEqualTo(Duration.ofMillis(300));
        time.advance(Duration.ofMillis(300));
        assertThat(bucket.isUnused()).as("while it owes").isFalse();
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).containsExactly(4);
        assertThat(leftForOthers(TEN)).isEqualTo(6);
        time.advance(Duration.ofSeconds(1));
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).as("the debt is paid once").containsExactly(1);
    }

    @Test
    void messagesThatTheStoreWasNotToldOfArePaidForWithTheNextMessages() {
        SharedBucket bucket = owingThree();
        time.advance(Duration.ofMillis(300));
        bucket.spend(2);
        assertThat(taken).containsExactly(5);
        assertThat(leftForOthers(TEN)).isEqualTo(5);
        bucket.spend(1);
        assertThat(taken).as("the debt is paid once").containsExactly(1);
    }

    @Test
    void debtThatTheStoreCannotPayAtOnceIsPaidInPartsBeforeACallGetsAPermit() {
        RateLimit one = RateLimit.perSecond(10).withBurst(1);
        SharedBucket bucket = bucket(one);
        away = true;
        bucket.spend(2);
        away = false;
        time.advance(Duration.ofMillis(200));
        assertThat(Duration.ofNanos(bucket.tryTake())).isEqualTo(Duration.ofMillis(100));
        time.advance(Duration.ofMillis(100));
        assertThat(Duration.ofNanos(bucket.tryTake())).isEqualTo(Duration.ofMillis(100));
        time.advance(Duration.ofMillis(100));
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).containsExactly(3, 2, 1);
    }

    @Test
    void callThatCannotAskOwesNothing() {
        SharedBucket bucket = bucket(TEN);
        away = true;
        assertThatThrownBy(bucket::tryTake).isInstanceOf(SemelException.StoreUnavailable.class);
        away = false;
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).containsExactly(1);
    }

    @Test
    void permitsLeftOfAChunkAreDroppedAfterATenthOfASecond() {
        SharedBucket bucket = bucket(MANY);
        for (int i = 0; i < 4; i++) {
            assertThat(bucket.tryTake()).isZero();
        }
        assertThat(taken).as("three of the last four are left").containsExactly(1, 2, 4);
        time.advance(Duration.ofMillis(100));
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).as("one is used while they are good").hasSize(3);
        time.advance(Duration.ofMillis(1));
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).as("the other two are dropped").containsExactly(1, 2, 4, 2);
    }

    @Test
    void emptyBucketAsksNobodyUntilItsNextPermitIsDue() {
        SharedBucket bucket = bucket(RateLimit.of(1, Duration.ofHours(1)));
        assertThat(bucket.tryTake()).isZero();
        for (int i = 0; i < 10; i++) {
            assertThat(Duration.ofNanos(bucket.tryTake())).isEqualTo(Duration.ofHours(1));
        }
        assertThat(bucket.free(5)).isZero();
        assertThat(taken).hasSize(1);
        time.advance(Duration.ofHours(1).minusNanos(1));
        assertThat(bucket.tryTake()).isEqualTo(1);
        assertThat(taken).hasSize(1);
        time.advance(Duration.ofNanos(1));
        assertThat(bucket.free(5)).isEqualTo(1);
        assertThat(bucket.tryTake()).isZero();
        assertThat(taken).hasSize(2);
    }
}
