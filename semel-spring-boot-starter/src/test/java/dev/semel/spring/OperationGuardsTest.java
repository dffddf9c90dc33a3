package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.semel.Answer;
import dev.semel.Channel;
import dev.semel.SemelException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Rate limits and breakers of methods, declared as beans. */
class OperationGuardsTest {
    private static final Channel.RateLimit ONE = Channel.RateLimit.of(1, Duration.ofHours(1));
    private static final Channel.Breaker AT_ONCE = new Channel.Breaker(50, 1, Duration.ofHours(1));

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SemelAutoConfiguration.class,
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + Databases.SQLITE.fresh())
            .withBean(Till.class);

    static class Till {
        @Idempotent(value = "pay", key = "#id")
        public String pay(String id) {
            return "paid " + id;
        }

        @Idempotent(
                value = "ship",
                key = "#id",
                form = Idempotent.Form.LEASED,
                repeatable = true,
                policy = "ingress.ack")
        public String ship(String id) {
            throw new IllegalStateException("the carrier is down");
        }
    }

    private static Answer.RetryLater<?> stopped(Runnable call) {
        SemelException.NoResult none = catchThrowableOfType(SemelException.NoResult.class, call::run);
        assertThat(none.answer()).isInstanceOf(Answer.RetryLater.class);
        return (Answer.RetryLater<?>) none.answer();
    }

    @Test
    void guardsHoldForTheMethodsOfTheirOperation() {
        runner.withBean("limit", OperationGuards.class, () -> new OperationGuards("pay", ONE, Channel.Breaker.NONE))
                .withBean(
                        "breaker",
                        OperationGuards.class,
                        () -> new OperationGuards("ship", Channel.RateLimit.NONE, AT_ONCE))
                .run(context -> {
                    Till till = context.getBean(Till.class);
                    assertThat(till.pay("a")).isEqualTo("paid a");
                    assertThat(stopped(() -> till.pay("b")).notice().reason()).contains("rate limit");
                    assertThatThrownBy(() -> till.ship("a")).isInstanceOf(IllegalStateException.class);
                    assertThat(stopped(() -> till.ship("b")).notice().reason()).contains("circuit breaker is open");
                });
    }

    @Test
    void guardsNeedOneMethodEach() {
        runner.withBean("first", OperationGuards.class, () -> new OperationGuards("pay", ONE, AT_ONCE))
                .withBean("second", OperationGuards.class, () -> new OperationGuards("pay", ONE, AT_ONCE))
                .withBean("third", OperationGuards.class, () -> new OperationGuards("nobody", ONE, AT_ONCE))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasMessageContaining("OperationGuards of \"pay\": declared more than once")
                        .hasMessageContaining("OperationGuards of \"nobody\": no @Idempotent method"));
    }
}
