package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Key;
import dev.semel.Tenant;
import dev.semel.audit.AuditEvent;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import dev.semel.testkit.Scratch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker in a process of its own, which is killed while it runs a job. */
class WorkerKillTest {
    private static final String LEASE = "semel.policy.jobs.lease=2s";

    /** Its first call is held for as long as the other node takes to start. */
    private static final String PATIENCE = "planner.mail.timeout=5m";

    private static final String CORRELATION = "correlation-5";

    private static Process worker(String database, MailStub mail, Path said) throws IOException {
        Stream<String> java = Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                MissionPlanner.class.getName());
        String[] settings = Planner.arguments(database, mail.setting(), LEASE, PATIENCE);
        return new ProcessBuilder(Stream.concat(java, Stream.of(settings)).toList())
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
    }

    @ParameterizedTest
    @EnumSource
    void jobOfAKilledWorkerIsTakenOverByAnotherNodeAndTakesEffectOnce(Engine engine) throws Exception {
        String database = engine.fresh().jdbc();
        Path said = Scratch.directory("worker").resolve("said");
        CountDownLatch killed = new CountDownLatch(1);
        // The mail service has taken the note, and its caller dies before it hears so.
        try (MailStub mail = new MailStub(call -> call == 1 ? afterwards(killed) : 202);
                Planner front = Planner.start(database, mail.setting(), LEASE, PATIENCE)) {
            assertThat(front.semel().drain(Duration.ofSeconds(10)))
                    .as("this node only takes requests")
                    .isTrue();
            Organisation home = Organisation.found(front);
            Process worker = worker(database, mail, said);
            try {
                Key key = assigned(home);
                Await.until("the worker runs the job", () -> {
                    assertThat(worker.isAlive()).as(Files.readString(said)).isTrue();
                    return mail.calls().size() == 1;
                });
                try (Planner other = Planner.start(database, mail.setting(), LEASE, PATIENCE)) {
                    long lease = job(front, home, key).status().at();
                    Await.until(
                            "the lease is renewed",
                            () -> job(front, home, key).status().at() > lease);
                    assertThat(mail.calls()).as("another node leaves it alone").hasSize(1);

                    worker.destroyForcibly().waitFor();
                    killed.countDown();
                    Await.until(
                            "the other node has done it",
                            () -> job(front, home, key).state() == State.COMPLETED);
                    other.settle(home.id());
                    showOnce(front, mail, job(front, home, key));
                }
            } finally {
                worker.destroyForcibly().waitFor();
                killed.countDown();
            }
        }
    }

    private static int afterwards(CountDownLatch killed) {
        try {
            killed.await();
            return 202;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Key assigned(Organisation home) {
        Person ada = home.ada();
        String mission = ada.newMission(ada.newProject());
        PlannerResponse made = Person.send(
                ada.keyed("POST", "/v1/missions/" + mission + "/assignments", freshKey(), "{\"person\":\"bob\"}")
                        .header("X-Request-ID", "request-5")
                        .header("X-Correlation-ID", CORRELATION));
        return Jobs.key(Tenant.of(home.id()), Jobs.NOTIFICATIONS, "assignment/" + made.text("id") + "@1");
    }

    private static Row job(Planner planner, Organisation home, Key key) {
        return planner.operator()
                .find(Tenant.of(home.id()), Jobs.NOTIFICATIONS.name(), key)
                .orElseThrow();
    }

    /** The mail service has heard it twice, under one key and with the same ids, so that it delivers one mail. */
    private static void showOnce(Planner planner, MailStub mail, Row job) {
        List<MailStub.Call> calls = mail.calls();
        assertThat(calls).hasSize(2);
        assertThat(calls.get(1).key()).isEqualTo(calls.get(0).key());
        assertThat(calls.get(1).body()).isEqualTo(calls.get(0).body());
        assertThat(calls).allMatch(call -> call.correlation().equals(CORRELATION));
        List<AuditEvent> story = planner.operator().story(job.id(), 10);
        assertThat(story)
                .extracting(AuditEvent::type)
                .containsExactly("operation.queued", "operation.taken_over", "operation.executed");
        assertThat(story)
                .allSatisfy(event -> assertThat(event.fields())
                        .containsEntry("request_id", "request-5")
                        .containsEntry("actor", "ada"));
    }
}
