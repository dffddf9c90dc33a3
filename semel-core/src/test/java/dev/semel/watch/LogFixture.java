package dev.semel.watch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.semel.engine.Engine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.slf4j.LoggerFactory;

/** An engine without a watch, and what one of its loggers writes, from debug on. */
abstract class LogFixture extends WatchFixture {
    final Logger logger;
    final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    final Engine engine = start(Watch.NONE);

    LogFixture(String logger) {
        this.logger = (Logger) LoggerFactory.getLogger(logger);
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.DEBUG);
    }

    @AfterEach
    void stopListening() {
        logger.setLevel(null);
        logger.detachAppender(lines);
    }
}
