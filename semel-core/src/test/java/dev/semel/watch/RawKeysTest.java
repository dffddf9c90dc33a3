package dev.semel.watch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A key is found in no meter, no observation and no line of any log. */
class RawKeysTest extends WatchFixture {
    private static final String WORDS = "distinctive-as-an-account-number-";

    @Test
    void rawKeysAreNowhere() {
        Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Level before = root.getLevel();
        root.setLevel(Level.TRACE);
        root.addAppender(lines);
        Observations observations = new Observations();
        try {
            Watch watch = MicrometerWatch.of(meters)
                    .withObservations(observations.registry)
                    .withTenants();
            new Scenario(start(watch), start(Watch.NONE), time, WORDS).play();
        } finally {
            root.detachAppender(lines);
            root.setLevel(before);
        }
        assertThat(meters.getMeters())
                .isNotEmpty()
                .noneMatch(meter -> meter.getId().toString().contains(WORDS));
        assertThat(observations.seen)
                .isNotEmpty()
                .noneMatch(seen -> seen.toString().contains(WORDS));
        assertThat(lines.list)
                .isNotEmpty()
                .noneMatch(line -> line.getFormattedMessage().contains(WORDS)
                        || String.valueOf(line.getKeyValuePairs()).contains(WORDS)
                        || line.getThrowableProxy() != null
                                && String.valueOf(line.getThrowableProxy().getMessage())
                                        .contains(WORDS));
    }
}
