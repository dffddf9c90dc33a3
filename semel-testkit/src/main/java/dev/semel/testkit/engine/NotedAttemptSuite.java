package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.audit.AuditEvent;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a handler notes about an attempt is told by the event of its end. */
abstract class NotedAttemptSuite extends ChannelFixture {
    NotedAttemptSuite(EngineContract contract) {
        super(contract);
    }

    private Map<String, Object> details(String type) {
        List<AuditEvent> events = engine.operator().story(row(MAIL, "a").id(), 20).stream()
                .filter(event -> event.type().equals(type))
                .toList();
        assertThat(events).as(type).hasSize(1);
        return events.get(0).details();
    }

    @Test
    void eachAttemptTellsItsOwnNotes() {
        AtomicInteger attempts = new AtomicInteger();
        engine.handle(MAIL, (note, run) -> {
            run.note("number", attempts.incrementAndGet());
            if (attempts.get() == 1) {
                run.note("first", "only then");
                throw failing(Failure.Category.NETWORK);
            }
        });
        send(MAIL, "a");
        workThrough(Duration.ofSeconds(10), 3);
        assertThat(details("retry.attempt"))
                .containsEntry("note.number", 1L)
                .containsEntry("note.first", "only then")
                .containsEntry("reason", "simulated network");
        assertThat(details("operation.executed"))
                .containsEntry("note.number", 2L)
                .doesNotContainKey("note.first");
    }

    @Test
    void deathTellsTheNotesOfTheLastAttempt() {
        engine.handle(MAIL, (note, run) -> {
            run.note("status", 422);
            throw failing(Failure.Category.VALIDATION);
        });
        send(MAIL, "a");
        work();
        assertThat(details("system.error")).containsEntry("note.status", 422L);
    }

    @Test
    void notedTextIsBoundedRedactedAndOfOneLine() {
        engine.handle(
                MAIL, (note, run) -> run.note("answer", "password=hunter2\r\n\u0000\u001b[31m" + "x".repeat(5_000)));
        send(MAIL, "a");
        work();
        assertThat((String) details("operation.executed").get("note.answer"))
                .startsWith("password=***\\r\\n\\u0000\\u001b[31mxxx")
                .hasSize(1_024);
    }

    @Test
    void tooManyNotesAndOtherNamesAreRejected() {
        engine.handle(MAIL, (note, run) -> {
            for (int i = 0; i < 10; i++) {
                run.note("n" + i, i);
            }
            run.note("n9", "replaced");
            assertThatThrownBy(() -> run.note("n10", 1)).isInstanceOf(SemelException.Invalid.class);
            for (String name : List.of("", "Status", "a b", "1a", "a".repeat(41))) {
                assertThatThrownBy(() -> run.note(name, 1)).isInstanceOf(SemelException.Invalid.class);
            }
            handled.add(note.text());
        });
        send(MAIL, "a");
        work();
        assertThat(handled).containsExactly("a");
        assertThat(details("operation.executed")).containsEntry("note.n9", "replaced");
    }
}
