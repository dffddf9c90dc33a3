package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Notifications leave the building: by HTTP, under one key, and not at all while their receiver keeps failing. */
class MailTest {
    private static final Duration PAUSE = Duration.ofSeconds(3);

    /** Of a job about an assignment that was just made. */
    private record Told(Organisation home, String assignment) {
        static Told of(Planner planner, String correlation) {
            Organisation home = Organisation.found(planner);
            Person ada = home.ada();
            String mission = ada.newMission(ada.newProject());
            PlannerResponse made = Person.send(
                    ada.keyed("POST", "/v1/missions/" + mission + "/assignments", freshKey(), "{\"person\":\"bob\"}")
                            .header("X-Request-ID", "request-of-" + correlation)
                            .header("X-Correlation-ID", correlation));
            return new Told(home, made.text("id"));
        }

        Row job() {
            Tenant tenant = Tenant.of(home.id());
            Key key = Jobs.key(tenant, Jobs.NOTIFICATIONS, "assignment/" + assignment + "@1");
            return home.planner()
                    .operator()
                    .find(tenant, Jobs.NOTIFICATIONS.name(), key)
                    .orElseThrow();
        }

        void ends(State state) {
            Await.until("the job is " + state, () -> job().state() == state);
        }
    }

    private static Planner planner(Engine engine, MailStub mail, String... more) {
        String[] all = new String[more.length + 1];
        all[0] = mail.setting();
        System.arraycopy(more, 0, all, 1, more.length);
        return Planner.start(engine.fresh().jdbc(), all);
    }

    @ParameterizedTest
    @EnumSource
    void transientFailureIsRetriedAtOnceUnderTheSameKey(Engine engine) {
        try (MailStub mail = new MailStub(call -> call == 1 ? 503 : 202);
                Planner planner = planner(engine, mail)) {
            Told told = Told.of(planner, "correlation-1");
            told.ends(State.COMPLETED);
            assertThat(told.job().status().attempt()).as("attempts of the job").isEqualTo(1);
            assertThat(mail.calls()).hasSize(2).allSatisfy(call -> {
                assertThat(call.correlation()).isEqualTo("correlation-1");
                assertThat(call.request()).isEqualTo("request-of-correlation-1");
                assertThat(call.body()).contains("bob", "You are assigned to Land.");
            });
            assertThat(keys(mail)).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rejectedNoteIsNotRetried(Engine engine) {
        try (MailStub mail = new MailStub(call -> 400);
                Planner planner = planner(engine, mail)) {
            Told told = Told.of(planner, "correlation-2");
            told.ends(State.FAILED_TERMINAL);
            assertThat(mail.calls()).hasSize(1);
        }
    }

    /** Three attempts, of two calls each, open the breaker; without it the job would have been given up within a second. */
    @ParameterizedTest
    @EnumSource
    void breakerPausesAFailingServiceAndItsMessagesWait(Engine engine) {
        int failing = 6;
        try (MailStub mail = new MailStub(call -> call <= failing ? 503 : 202);
                Planner planner = planner(
                        engine,
                        mail,
                        "planner.mail.breaker-calls=3",
                        "planner.mail.breaker-pause=" + PAUSE.toMillis() + "ms")) {
            Told first = Told.of(planner, "correlation-3");
            Await.until("three attempts have failed", () -> mail.calls().size() >= failing);
            Told second = Told.of(planner, "correlation-4");
            first.ends(State.COMPLETED);
            second.ends(State.COMPLETED);
            assertThat(mail.calls()).hasSize(failing + 2);
            long quiet = mail.calls().get(failing).nanos()
                    - mail.calls().get(failing - 1).nanos();
            assertThat(Duration.ofNanos(quiet)).isGreaterThan(PAUSE.minusMillis(100));
            assertThat(first.job().status().attempt()).isEqualTo(4);
            assertThat(second.job().status().attempt()).isEqualTo(1);
            assertThat(keys(mail)).hasSize(2);
        }
    }

    private static Set<String> keys(MailStub mail) {
        return mail.calls().stream().map(MailStub.Call::key).collect(Collectors.toSet());
    }
}
