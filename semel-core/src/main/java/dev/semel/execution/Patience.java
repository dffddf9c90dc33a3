package dev.semel.execution;

import dev.semel.Answer;
import java.time.Duration;
import java.util.function.Supplier;

/** Another process may hold the record: its end is polled for, without a connection, as long as the call's patience. */
final class Patience {
    private static final Duration FIRST_POLL = Duration.ofMillis(5);
    private static final Duration LONGEST_POLL = Duration.ofMillis(100);

    private Patience() {}

    static <R> Answer<R> await(EngineServices services, PreparedCall<?, R> prepared, Supplier<Answer<R>> attempts) {
        long until =
                services.time().nanos() + InFlightCalls.bounded(prepared.call().patience());
        Duration poll = FIRST_POLL;
        while (true) {
            Answer<R> answer = attempts.get();
            Duration left = Duration.ofNanos(until - services.time().nanos());
            if (!(answer instanceof Answer.InProgress) || left.isNegative() || left.isZero()) {
                return answer;
            }
            BackOff.uninterruptibly(services.time(), poll.compareTo(left) < 0 ? poll : left);
            if (Thread.currentThread().isInterrupted()) {
                return answer;
            }
            poll = poll.multipliedBy(2).compareTo(LONGEST_POLL) < 0 ? poll.multipliedBy(2) : LONGEST_POLL;
        }
    }
}
