package dev.semel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class AnswerTest {
    private static final Answer.Notice NOTICE =
            new Answer.Notice("c-1", "already processed", Set.of(Answer.Next.RETRY));
    private static final Failure FAILURE = Failure.of(Failure.Category.NETWORK, "reset");

    static Stream<Answer<String>> results() {
        return Stream.of(new Answer.Executed<>("r", "c-1"), new Answer.Replayed<>("r", "c-1"));
    }

    static Stream<Arguments> others() {
        return Stream.of(
                arguments(new Answer.Rejected<String>(NOTICE), "Rejected"),
                arguments(new Answer.Conflict<String>(NOTICE), "Conflict"),
                arguments(new Answer.Failed<String>(FAILURE, NOTICE), "Failed"),
                arguments(new Answer.Unknown<String>(NOTICE), "Unknown"),
                arguments(new Answer.InProgress<String>(NOTICE), "InProgress"),
                arguments(new Answer.RetryLater<String>(Duration.ofSeconds(1), FAILURE, NOTICE), "RetryLater"),
                arguments(new Answer.Halted<String>(NOTICE), "Halted"));
    }

    @ParameterizedTest
    @MethodSource("results")
    void resultIsHandedOut(Answer<String> answer) {
        assertThat(answer.isResult()).isTrue();
        assertThat(answer.orThrow()).isEqualTo("r");
        assertThat(answer.orThrowUnlessShadowed()).isEqualTo("r");
        assertThat(answer.<String>fold(r -> "result " + r, Answer.Notice::reason))
                .isEqualTo("result r");
    }

    @ParameterizedTest
    @MethodSource("others")
    void anythingElseIsThrownWithItsReason(Answer<String> answer, String name) {
        assertThat(answer.isResult()).isFalse();
        assertThatThrownBy(answer::orThrow)
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isSameAs(answer))
                .hasMessage(name + ": already processed (correlation c-1)");
        assertThat(answer.<String>fold(r -> "result", Answer.Notice::reason)).isEqualTo("already processed");
    }

    @Test
    void shadowedIsNoResultUnlessTheCallerAcceptsIt() {
        Answer<String> answer = new Answer.Shadowed<>("r", "c-1");
        assertThat(answer.isResult()).isFalse();
        assertThatThrownBy(answer::orThrow)
                .isInstanceOfSatisfying(
                        SemelException.NoResult.class,
                        e -> assertThat(e.answer()).isSameAs(answer))
                .hasMessageContaining("nothing took effect")
                .hasMessageContaining("c-1");
        assertThat(answer.orThrowUnlessShadowed()).isEqualTo("r");
        assertThat(answer.<String>fold(r -> "result", Answer.Notice::correlationId))
                .isEqualTo("c-1");
    }

    @ParameterizedTest
    @MethodSource("others")
    void nothingElseIsHandedOutInstead(Answer<String> answer, String name) {
        assertThatThrownBy(answer::orThrowUnlessShadowed)
                .isInstanceOf(SemelException.NoResult.class)
                .hasMessageStartingWith(name);
    }

    @Test
    void nothingIsAResultToo() {
        Answer<String> answer = new Answer.Executed<>(null, "c-1");
        assertThat(answer.isResult()).isTrue();
        assertThat(answer.orThrow()).isNull();
    }

    @ParameterizedTest
    @MethodSource("others")
    void overriddenCaseIsCalledInsteadOfTheFallback(Answer<String> answer, String name) {
        var cases = new Answer.Cases<String, String>() {
            @Override
            public String result(Answer<String> a, @Nullable String result) {
                return "result";
            }

            @Override
            public String other(Answer<String> a, Answer.Notice notice) {
                return "other";
            }

            @Override
            public String retryLater(Answer.RetryLater<String> a) {
                return "in " + a.in();
            }
        };
        assertThat(answer.fold(cases)).isEqualTo(name.equals("RetryLater") ? "in PT1S" : "other");
    }

    @Test
    void noticeKeepsItsOwnActions() {
        var next = EnumSet.of(Answer.Next.CANCEL);
        var notice = new Answer.Notice("c", "r", next);
        next.add(Answer.Next.CONTACT);
        assertThat(notice.next()).containsExactly(Answer.Next.CANCEL);
    }
}
