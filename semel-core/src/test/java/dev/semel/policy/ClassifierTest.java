package dev.semel.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.SemelException;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClassifierTest {
    private static final Policy PLAIN = Policy.named("plain").build();
    private static final Instant NOW = Instant.parse("2026-11-06T08:49:07Z");

    static Stream<Arguments> builtIns() {
        return Stream.of(
                arguments(new ConnectException("refused"), Category.NETWORK, true),
                arguments(new UnknownHostException("nowhere"), Category.NETWORK, true),
                arguments(new EOFException(), Category.NETWORK, true),
                arguments(new ClosedChannelException(), Category.NETWORK, true),
                arguments(new SSLHandshakeException("cut"), Category.NETWORK, true),
                arguments(new SocketTimeoutException("read"), Category.TIMEOUT, true),
                arguments(new HttpTimeoutException("late"), Category.TIMEOUT, true),
                arguments(new HttpConnectTimeoutException("late"), Category.TIMEOUT, true),
                arguments(new TimeoutException(), Category.TIMEOUT, true),
                arguments(new InterruptedException(), Category.TIMEOUT, true),
                arguments(new ClosedByInterruptException(), Category.TIMEOUT, true),
                arguments(new SQLTransientException(), Category.UPSTREAM_ERROR, true),
                arguments(new SQLTransientConnectionException(), Category.NETWORK, true),
                arguments(new SQLNonTransientConnectionException(), Category.NETWORK, true),
                arguments(new SQLTimeoutException(), Category.TIMEOUT, true),
                arguments(new SQLIntegrityConstraintViolationException(), Category.CONFLICT, false),
                arguments(new SemelException.Invalid("no"), Category.VALIDATION, false),
                arguments(new SemelException.LeaseLost("gone", 3), Category.LEASE_LOST, true),
                arguments(new SemelException.StoreUnavailable("down"), Category.NETWORK, true),
                arguments(new AssertionError("bug"), Category.BUG, false),
                arguments(new StackOverflowError(), Category.BUG, false),
                arguments(new OutOfMemoryError(), Category.UNKNOWN, true),
                arguments(new StackOverflowError(), Category.BUG, false));
    }

    @ParameterizedTest
    @MethodSource("builtIns")
    void exceptionsOfThePlatformAreKnown(Throwable thrown, Category category, boolean retry) {
        Judgement judgement = Classifier.judge(PLAIN, thrown);
        assertThat(judgement.failure().category()).isEqualTo(category);
        assertThat(judgement.retry()).isEqualTo(retry);
        assertThat(judgement.failure().exception()).isEqualTo(thrown.getClass().getName());
    }

    @ParameterizedTest
    @CsvSource({
        "08006, NETWORK, true",
        "40001, UPSTREAM_ERROR, true",
        "40P01, UPSTREAM_ERROR, true",
        "23505, CONFLICT, false",
        "42601, BUG, false",
        "22001, BUG, false",
        "57014, TIMEOUT, true",
        "57P01, NETWORK, true",
        "XX000, UNKNOWN, true",
        "4, UNKNOWN, true",
        ", UNKNOWN, true"
    })
    void plainSqlExceptionsAreJudgedByTheirState(String state, Category category, boolean retry) {
        Judgement judgement = Classifier.judge(PLAIN, new SQLException("no", state));
        assertThat(judgement.failure().category()).isEqualTo(category);
        assertThat(judgement.retry()).isEqualTo(retry);
    }

    @Test
    void policysRuleForSqlExceptionsReplacesTheJudgementByState() {
        Policy policy =
                Policy.named("p").failOn(SQLException.class, Category.BUG).build();
        assertThat(Classifier.judge(policy, new SQLException("x", "40001")).retry())
                .isFalse();
        assertThat(Classifier.judge(policy, new SQLTransientException("x")).retry())
                .isTrue();
    }

    @Test
    void unlistedExceptionsAreUnknownAndRetriedAndNeverStored() {
        Judgement judgement = Classifier.judge(PLAIN, new IllegalStateException("odd"));
        assertThat(judgement)
                .isEqualTo(new Judgement(
                        new Failure(Category.UNKNOWN, "odd", IllegalStateException.class.getName(), null),
                        true,
                        JudgementBasis.of(JudgementBasis.Source.UNLISTED)));
        assertThat(judgement.failure().category().stored()).isFalse();
    }

    @Test
    void mostSpecificClassWins() {
        Policy policy = Policy.named("p")
                .failOn(IOException.class, Category.MAPPING)
                .retryOn(Odd.class, Category.UPSTREAM_ERROR)
                .failOn(Exception.class, Category.BUG)
                .build();
        assertThat(Classifier.judge(policy, new IOException("x")).failure().category())
                .isEqualTo(Category.MAPPING);
        assertThat(Classifier.judge(policy, new Odder()).failure().category()).isEqualTo(Category.UPSTREAM_ERROR);
        assertThat(Classifier.judge(policy, new ConnectException("x")).failure().category())
                .isEqualTo(Category.NETWORK);
        assertThat(Classifier.judge(policy, new RuntimeException("x")).failure().category())
                .isEqualTo(Category.BUG);
    }

    @Test
    void policysRuleReplacesTheBuiltInOneForTheSameClass() {
        Policy policy = Policy.named("p")
                .failOn(TimeoutException.class, Category.TIMEOUT)
                .retryOn(Error.class, Category.BUG)
                .build();
        assertThat(Classifier.judge(policy, new TimeoutException()).retry()).isFalse();
        assertThat(Classifier.judge(policy, new AssertionError()).retry()).isTrue();
    }

    @Test
    void betweenTwoInterfacesDoNotRetryWins() {
        Policy policy = Policy.named("p")
                .retryOn(Transient.class, Category.NETWORK)
                .failOn(Permanent.class, Category.BUSINESS_RULE)
                .build();
        Judgement both = Classifier.judge(policy, new Both());
        assertThat(both.retry()).isFalse();
        assertThat(both.failure().category()).isEqualTo(Category.BUSINESS_RULE);
        assertThat(Classifier.judge(policy, new TransientOnly()).retry()).isTrue();
    }

    @Test
    void twoEquallySpecificRulesThatAgreeAreNoTie() {
        Policy policy = Policy.named("p")
                .retryOn(Transient.class, Category.NETWORK)
                .retryOn(Permanent.class, Category.TIMEOUT)
                .build();
        assertThat(Classifier.judge(policy, new Both()).retry()).isTrue();
    }

    @Test
    void betweenABuiltInClassAndAnInterfaceDoNotRetryWins() {
        Policy policy = Policy.named("p")
                .failOn(Permanent.class, Category.BUSINESS_RULE)
                .build();
        assertThat(Classifier.judge(policy, new PermanentTimeout()).retry()).isFalse();
    }

    @Test
    void narrowerInterfaceIsMoreSpecific() {
        Policy policy = Policy.named("p")
                .failOn(Transient.class, Category.BUG)
                .retryOn(VeryTransient.class, Category.NETWORK)
                .build();
        assertThat(Classifier.judge(policy, new VeryTransientOne()).retry()).isTrue();
    }

    @Test
    void errorIsNeverOfAStoredCategoryUnderAnyRule() {
        Policy policy = Policy.named("p")
                .failOn(AssertionError.class, Category.VALIDATION)
                .build();
        assertThat(Classifier.judge(policy, new AssertionError("x")).failure().category())
                .isEqualTo(Category.BUG);
    }

    @ParameterizedTest
    @EnumSource(Category.class)
    void statedFailureKeepsItsCategory(Category category) {
        Judgement judgement =
                Classifier.judge(PLAIN, Failure.of(category, "said").asException());
        assertThat(judgement).isEqualTo(new Judgement(Failure.of(category, "said"), category.retried()));
    }

    @Test
    void policyMayDecideOnStatedFailures() {
        Policy never =
                Policy.named("p").failOn(Failure.Thrown.class, Category.UNKNOWN).build();
        Judgement judgement =
                Classifier.judge(never, Failure.of(Category.NETWORK, "said").asException());
        assertThat(judgement.retry()).isFalse();
        assertThat(judgement.failure().category()).isEqualTo(Category.NETWORK);
        Policy broad =
                Policy.named("p").failOn(RuntimeException.class, Category.BUG).build();
        assertThat(Classifier.judge(broad, Failure.of(Category.NETWORK, "said").asException())
                        .retry())
                .isTrue();
    }

    @Test
    void statedFailureNamesItsCause() {
        var thrown = new Failure.Thrown(Failure.of(Category.MAPPING, "said"), new IOException("x"));
        assertThat(Classifier.judge(PLAIN, thrown).failure().exception()).isEqualTo(IOException.class.getName());
    }

    @Test
    void wrappersAreLookedThrough() {
        var cause = new ConnectException("refused");
        for (Throwable wrapper : List.of(
                new ExecutionException(cause),
                new CompletionException(cause),
                new UndeclaredThrowableException(cause),
                new InvocationTargetException(cause),
                new UncheckedIOException(cause),
                new ExecutionException(new CompletionException(cause)))) {
            Failure failure = Classifier.judge(PLAIN, wrapper).failure();
            assertThat(failure.category()).isEqualTo(Category.NETWORK);
            assertThat(failure.reason()).isEqualTo("refused");
        }
    }

    @Test
    void wrappersWithoutCauseOrWithoutEndDoNoHarm() {
        assertThat(Classifier.judge(PLAIN, new CompletionException("empty", null))
                        .failure()
                        .category())
                .isEqualTo(Category.UNKNOWN);
        Throwable deep = new IOException("bottom");
        for (int i = 0; i < 1000; i++) {
            deep = new ExecutionException(deep);
        }
        assertThat(Classifier.judge(PLAIN, deep).failure().category()).isEqualTo(Category.UNKNOWN);
    }

    @Test
    void reasonIsOneBoundedLine() {
        String hostile = "first\r\nsecond\u0000\u001b[31m\u202eevil\u2028 \ud800 " + "x".repeat(1_000_000);
        String reason = Classifier.judge(PLAIN, new IllegalStateException(hostile))
                .failure()
                .reason();
        assertThat(reason)
                .startsWith("first second [31m evil x")
                .endsWith("...")
                .hasSize(Failure.MAX_REASON);
        assertThat(reason.chars()).noneMatch(Character::isISOControl);
    }

    @Test
    void exceptionWithoutAReadableMessageIsNamed() {
        assertThat(Classifier.judge(PLAIN, new IllegalStateException(" "))
                        .failure()
                        .reason())
                .isEqualTo("IllegalStateException without a message");
        assertThat(Classifier.judge(PLAIN, new Unreadable()).failure().reason())
                .isEqualTo("Unreadable without a message");
        assertThat(Classifier.judge(PLAIN, new RuntimeException() {
                            private static final long serialVersionUID = 1;
                        })
                        .failure()
                        .reason())
                .contains("ClassifierTest$")
                .endsWith("without a message");
    }

    static Stream<Arguments> nestedAnswers() {
        var notice = new Answer.Notice("c-1", "no", Set.of());
        var failure = Failure.of(Category.NETWORK, "reset");
        return Stream.of(
                arguments(new Answer.Failed<>(failure, notice), Category.NETWORK, false),
                arguments(new Answer.RetryLater<>(Duration.ofSeconds(9), failure, notice), Category.NETWORK, true),
                arguments(new Answer.InProgress<>(notice), Category.CONFLICT, true),
                arguments(new Answer.Halted<>(notice), Category.DISABLED, true),
                arguments(new Answer.Conflict<>(notice), Category.CONFLICT, false),
                arguments(new Answer.Rejected<>(notice), Category.VALIDATION, false),
                arguments(new Answer.Unknown<>(notice), Category.UNKNOWN, false));
    }

    @ParameterizedTest
    @MethodSource("nestedAnswers")
    void nestedCallWithoutAResultIsJudgedByItsAnswer(Answer<?> answer, Category category, boolean retry) {
        var thrown = new SemelException.NoResult(answer, "nested");
        Judgement judgement = Classifier.judge(PLAIN, thrown);
        assertThat(judgement.failure().category()).isEqualTo(category);
        assertThat(judgement.retry()).isEqualTo(retry);
        if (answer instanceof Answer.RetryLater<?> later) {
            assertThat(judgement.failure().retryAfter()).isEqualTo(later.in());
        }
        Policy policy = Policy.named("p")
                .failOn(SemelException.NoResult.class, Category.BUG)
                .build();
        assertThat(Classifier.judge(policy, thrown).failure().category()).isEqualTo(Category.BUG);
    }

    @ParameterizedTest
    @CsvSource({
        "302, VALIDATION",
        "400, VALIDATION",
        "401, AUTH",
        "402, BUSINESS_RULE",
        "403, AUTH",
        "404, NOT_FOUND",
        "405, VALIDATION",
        "407, AUTH",
        "408, TIMEOUT",
        "409, CONFLICT",
        "410, NOT_FOUND",
        "412, CONFLICT",
        "413, VALIDATION",
        "422, VALIDATION",
        "423, CONFLICT",
        "425, UPSTREAM_ERROR",
        "428, CONFLICT",
        "429, RATE_LIMITED",
        "451, BUSINESS_RULE",
        "500, UPSTREAM_ERROR",
        "501, DISABLED",
        "502, UPSTREAM_ERROR",
        "503, UPSTREAM_ERROR",
        "504, TIMEOUT",
        "505, DISABLED",
        "520, UPSTREAM_ERROR",
        "0, UPSTREAM_ERROR",
        "-7, UPSTREAM_ERROR",
        "999, UPSTREAM_ERROR"
    })
    void httpStatusesHaveTheirCategory(int status, Category category) {
        Failure failure = Classifier.ofHttpStatus(status, "30", NOW);
        assertThat(failure.category()).isEqualTo(category);
        assertThat(failure.reason()).contains(Integer.toString(status));
        boolean obeyed = status == 429 || status == 503;
        assertThat(failure.retryAfter()).isEqualTo(obeyed ? Duration.ofSeconds(30) : null);
    }

    @Test
    void ofThe4xxOnlyThreeAreTriedAgain() {
        for (int status = 400; status < 500; status++) {
            Judgement judgement = Classifier.judge(
                    PLAIN, Classifier.ofHttpStatus(status, null, NOW).asException());
            assertThat(judgement.retry())
                    .as("%d", status)
                    .isEqualTo(Set.of(408, 425, 429).contains(status));
        }
        for (int status : new int[] {500, 502, 503, 504}) {
            assertThat(Classifier.ofHttpStatus(status, null, NOW).category().retried())
                    .isTrue();
        }
    }

    @Test
    void rateLimitWithoutAReadableHeaderBacksOffByPolicy() {
        assertThat(Classifier.ofHttpStatus(429, null, NOW).retryAfter()).isNull();
        assertThat(Classifier.ofHttpStatus(429, "soon", NOW).retryAfter()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 200, 299})
    void aStatusThatIsNoFailureIsRefused(int status) {
        assertThatThrownBy(() -> Classifier.ofHttpStatus(status, null, NOW))
                .isInstanceOf(SemelException.Invalid.class)
                .hasMessageContaining(Integer.toString(status));
    }

    private interface Transient {}

    private interface VeryTransient extends Transient {}

    private interface Permanent {}

    @SuppressWarnings("serial")
    private static class Odd extends RuntimeException {}

    @SuppressWarnings("serial")
    private static final class Odder extends Odd {}

    @SuppressWarnings("serial")
    private static final class Both extends RuntimeException implements Transient, Permanent {}

    @SuppressWarnings("serial")
    private static final class TransientOnly extends RuntimeException implements Transient {}

    @SuppressWarnings("serial")
    private static final class VeryTransientOne extends RuntimeException implements VeryTransient {}

    @SuppressWarnings("serial")
    private static final class PermanentTimeout extends TimeoutException implements Permanent {}

    @SuppressWarnings("serial")
    private static final class Unreadable extends RuntimeException {
        @Override
        public String getMessage() {
            throw new UnsupportedOperationException();
        }
    }
}
