package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.store.Claim;
import dev.semel.store.Claimed;
import dev.semel.store.Queue;
import dev.semel.testkit.fault.ForwardingQueue;
import dev.semel.testkit.fault.ForwardingStore;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.TimeSource;
import java.net.ConnectException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Words that somebody on call searches the log for. */
@Timeout(300)
class ClaimFailureLogTest {
    private static final Channel.Leased<String> MAIL = Channel.leased("mail", String.class);

    private final Logger logger = (Logger) LoggerFactory.getLogger(ClaimLoop.class);
    private final BlockingQueue<ILoggingEvent> lines = new LinkedBlockingQueue<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent line) {
            if (line.getFormattedMessage().startsWith(MAIL.name())) {
                lines.add(line);
            }
        }
    };

    @BeforeEach
    void listen() {
        appender.start();
        logger.addAppender(appender);
        logger.setLevel(Level.WARN);
    }

    @AfterEach
    void stopListening() {
        logger.setLevel(null);
        logger.detachAppender(appender);
    }

    @Test
    void failedClaimIsLoggedWithItsInnermostReasonAndTheTimeOfTheRetry() throws Exception {
        var store = new ForwardingStore(new MemoryStore(TimeSource.system())) {
            @Override
            public Optional<Queue> queue() {
                return super.queue().map(queue -> new ForwardingQueue(queue) {
                    @Override
                    public Claimed claim(Claim claim) {
                        throw new SemelException.StoreUnavailable(
                                "The store is away.", new ConnectException("Connection refused"));
                    }
                });
            }
        };
        try (Engine engine = EngineSettings.on(store).open()) {
            engine.handle(MAIL, (text, run) -> {});
            ILoggingEvent line = lines.take();
            assertThat(line.getLevel()).isEqualTo(Level.WARN);
            assertThat(line.getFormattedMessage())
                    .isEqualTo("mail: claim failed (Connection refused); retrying in 1 s.");
        }
    }
}
