package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import dev.semel.store.Row;
import dev.semel.testkit.Await;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** A client's key is a secret of its own: the beginning of a hash stands for it wherever people look. */
class RawKeysTest {
    private static final String CREATE = "POST /v1/projects";
    private static final String BODY = "{\"name\":\"Orbit\"}";

    /** Every line of ours, down to the finest. */
    private static final class Lines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();
        private final Logger logger = (Logger) LoggerFactory.getLogger("dev.semel");

        Lines() {
            setContext(logger.getLoggerContext());
            start();
            logger.setLevel(Level.TRACE);
            logger.setAdditive(false);
            logger.addAppender(this);
        }

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }

        List<String> shown() {
            return events.stream()
                    .map(event -> event.getLoggerName() + " " + event.getFormattedMessage() + " "
                            + event.getKeyValuePairs() + " " + event.getMDCPropertyMap() + " "
                            + ThrowableProxyUtil.asString(event.getThrowableProxy()))
                    .toList();
        }

        @Override
        public void close() {
            logger.detachAppender(this);
            logger.setLevel(null);
            logger.setAdditive(true);
        }
    }

    /** Done, replayed, refused, failed, and a job that is given up. */
    private static List<String> everyKindOfKey(Planner planner, Person ada) {
        String done = freshKey();
        String refused = freshKey();
        String failed = freshKey();
        ada.post("/v1/projects", done, BODY);
        ada.post("/v1/projects", done, BODY);
        ada.post("/v1/projects", done, "{\"name\":\"Land\"}");
        ada.post("/v1/projects", refused, "{}");
        planner.notifier().when(ada.organisation(), call -> {
            throw new IllegalArgumentException("The mail service is broken.");
        });
        ada.newAssignment(ada.newMission(ada.newProject()), "bob");
        Await.until("it is given up", () -> ada.get("/v1/dead-letters").json().size() == 1);
        planner.jdbc().sql("ALTER TABLE audit_event RENAME TO audit_event_away").update();
        assertThat(ada.post("/v1/projects", failed, BODY).status()).isEqualTo(500);
        planner.jdbc().sql("ALTER TABLE audit_event_away RENAME TO audit_event").update();
        return List.of(done, refused, failed);
    }

    @ParameterizedTest
    @EnumSource
    void rawKeyAppearsInNoLogMeterOrAuditEvent(Engine engine) {
        // An application that starts sets the log up anew.
        try (Planner planner = Planner.start(engine.fresh().jdbc());
                Lines lines = new Lines()) {
            Person ada = Organisation.found(planner).ada();
            List<String> keys = everyKindOfKey(planner, ada);

            assertThat(lines.shown())
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).doesNotContain(keys));
            assertThat(lines.shown())
                    .as("a replay is logged with whose, which, its hash and that it is one")
                    .anySatisfy(line -> assertThat(line)
                            .startsWith("dev.semel.calls hit")
                            .contains(ada.organisation(), CREATE, "replayed=\"true\"")
                            .containsPattern("key_hash=\"[0-9a-f]{12}\""));

            List<String> meters = meters(planner);
            assertThat(meters)
                    .isNotEmpty()
                    .allSatisfy(meter -> assertThat(meter).doesNotContain(keys));
            assertThat(meters)
                    .anySatisfy(
                            meter -> assertThat(meter).contains("semel.calls", "replayed", CREATE, ada.organisation()));

            assertThat(audited(planner, ada, keys))
                    .isNotEmpty()
                    .allSatisfy(event -> assertThat(event).doesNotContain(keys));
        }
    }

    private static List<String> meters(Planner planner) {
        return planner.context().getBean(MeterRegistry.class).getMeters().stream()
                .map(meter -> meter.getId().getName() + " " + meter.getId().getTags())
                .toList();
    }

    private static List<String> audited(Planner planner, Person who, List<String> keys) {
        Row done = planner.record(who, CREATE, keys.get(0)).orElseThrow();
        Await.until(
                "its end, its replay and its conflict are written",
                () -> planner.operator().story(done.id(), 10).size() >= 3);
        return keys.stream()
                .flatMap(key -> planner.record(who, CREATE, key).stream())
                .flatMap(row -> planner.operator().story(row.id(), 10).stream())
                .map(event -> event.fields().toString())
                .toList();
    }
}
