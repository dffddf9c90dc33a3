package dev.semel.execution;

import dev.semel.Answer;
import java.time.Duration;
import java.util.function.Supplier;

/** Another process may hold the record: its end is polled for, without a connection, as long as the call's patience. */
final class Patience {
    private static final Duration FIRST_POLL = Duration.ofMillis(5);
    private static final Duration LONGEST_POLL = Duration.ofMillis(100);

    private Patience() {}

    static <R> Answer<R> await(Environment environment, Asked<?, R> asked, Supplier<Answer<R>> attempts) {
        long until = environment.time().nanos() + Flights.bounded(asked.call().patience());
        Duration poll = FIRST_POLL;
        while (true) {
            Answer<R> answer = attempts.get();
            Duration left = Duration.ofNanos(until - environment.time().nanos());
            if (!(answer instanceof Answer.InProgress) || left.isNegative() || left.isZero()) {
                return answer;
            }
            Pauses.uninterruptibly(environment.time(), poll.compareTo(left) < 0 ? poll : left);
            if (Thread.currentThread().isInterrupted()) {
                return answer;
            }
            poll = poll.multipliedBy(2).compareTo(LONGEST_POLL) < 0 ? poll.multipliedBy(2) : LONGEST_POLL;
        }
    }
}
