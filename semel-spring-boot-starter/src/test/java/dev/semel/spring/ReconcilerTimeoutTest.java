package dev.semel.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.net.SocketTimeoutException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** How long a reconciler may take is a property. */
class ReconcilerTimeoutTest {
    private static final Operation.Leased<String, String> REFUND =
            Operation.leased("refund", String.class, String.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(SemelAutoConfiguration.class))
            .withPropertyValues("semel.store=memory:");
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.semel.worker.Reconciliation");
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final AppenderBase<ILoggingEvent> hearing = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            said.add(event.getFormattedMessage());
        }
    };

    @BeforeEach
    void hear() {
        hearing.start();
        logger.addAppender(hearing);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
    }

    @AfterEach
    void hearNoMore() {
        logger.detachAppender(hearing);
        logger.setLevel(null);
        logger.setAdditive(true);
    }

    @Test
    void reconcilerThatHangsIsInterruptedAfterTheTimeOfTheProperty() {
        CountDownLatch never = new CountDownLatch(1);
        runner.withPropertyValues("semel.expert.reconciler-timeout=1s").run(context -> {
            Semel semel = context.getBean(Semel.class);
            semel.reconcile(REFUND, (order, what) -> {
                never.await();
                return Verdict.noEffect();
            });
            assertThat(semel.run(REFUND, Call.of(Tenant.SINGLE, Key.of("k"), "order"), (order, run) -> {
                        throw new SocketTimeoutException("the provider did not answer");
                    }))
                    .isInstanceOf(Answer.Unknown.class);
            assertThat(said.poll(120, TimeUnit.SECONDS)).startsWith("Reconciler of refund timed out after 1 s");
        });
    }

    @ParameterizedTest
    @CsvSource({"0s, PT0S", "-1s, PT-1S"})
    void invalidTimeoutIsRejected(String time, String shown) {
        runner.withPropertyValues("semel.expert.reconciler-timeout=" + time)
                .run(context -> SemelAutoConfigurationTest.assertFaults(
                        context.getStartupFailure(),
                        "semel.expert.reconciler-timeout is " + shown + ": use more than zero"));
    }
}
