package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.semel.Call;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditLog;
import dev.semel.testkit.fault.ForwardingAuditLog;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The log lines of failing handlers. */
class AttemptLogTest extends LogFixture {
    AttemptLogTest() {
        super("dev.semel");
    }

    private List<ILoggingEvent> at(Level level) {
        return lines.list.stream().filter(line -> line.getLevel() == level).toList();
    }

    @Test
    void lastAttemptOfADeliveryIsAWarningWithItsStackTraceAndTheDeadLetterIsOneLine() {
        engine.handle(MAIL, (payload, run) -> {
            throw new NullPointerException("no address for key secret-key");
        });
        engine.send(MAIL, message("secret-key"));
        for (int i = 0; i < 20; i++) {
            work(engine);
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(at(Level.DEBUG))
                .anyMatch(line -> line.getFormattedMessage().contains("attempt 1 of ")
                        && line.getFormattedMessage().contains("(bug); retrying in")
                        && line.getThrowableProxy() != null);
        List<ILoggingEvent> warnings = at(Level.WARN);
        assertThat(warnings).hasSize(2);
        assertThat(warnings.get(0).getFormattedMessage()).contains("mail/", "failed (bug); no attempt is left");
        assertThat(warnings.get(0).getThrowableProxy().getClassName()).isEqualTo("java.lang.NullPointerException");
        assertThat(warnings.get(1).getFormattedMessage()).contains("mail/", "is a dead letter: bug:");
        assertThat(warnings.get(1).getThrowableProxy()).isNull();
    }

    @Test
    void eventThatCannotBeWrittenForWorkWithoutAKeyIsLoggedOnce() {
        Engine away = start(Watch.NONE, new ForwardingStore(new MemoryStore(time)) {
            @Override
            public AuditLog audit() {
                return new ForwardingAuditLog(super.audit()) {
                    @Override
                    public void append(List<AuditEntry> entries) {
                        throw new SemelException.StoreUnavailable("simulated");
                    }
                };
            }
        });
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> away.retry(Call.Keyless.of("broker.connect", "steady"), () -> {
                        throw new ConnectException("refused");
                    }))
                    .isInstanceOf(SemelException.RetryFailed.class);
        }
        assertThat(at(Level.WARN).stream()
                        .filter(line -> line.getFormattedMessage()
                                .contains("broker.connect: could not write its retry to the audit")))
                .hasSize(1);
    }

    @Test
    void failureThatTheCallerGetsIsNoWarning() {
        engine.run(CHARGE, call("k"), (payload, tx) -> {
            throw Failure.of(Failure.Category.VALIDATION, "no amount").asException();
        });
        assertThat(at(Level.WARN)).isEmpty();
    }
}
