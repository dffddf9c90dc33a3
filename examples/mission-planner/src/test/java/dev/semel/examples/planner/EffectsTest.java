package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.examples.planner.effects.Jobs;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.Await;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows from a write happens later, once, and is tried again where it fails. */
class EffectsTest {

    @ParameterizedTest
    @EnumSource
    void writeUpdatesIndexDashboardAndNotifications(Engine engine) {
        Organisation home = engine.organisation();
        Person ada = home.ada();
        Person bob = home.bob();
        String project = ada.newProject();
        String mission = ada.newMission(project);
        String assignment = ada.newAssignment(mission, "bob");
        Await.until(
                "the mission is found",
                () -> ada.get("/v1/search?words=lan").json().size() == 1);
        dashboardIs(ada, project, 1, 1);
        Await.until("bob is told", () -> bob.get("/v1/notifications").json().size() == 1);
        assertThat(bob.get("/v1/notifications").json().path(0).asString()).isEqualTo("You are assigned to Land.");

        ada.write("PATCH", "/v1/missions/" + mission, freshKey(), "{\"name\":\"Return\",\"version\":1}");
        Await.until(
                "the new name is found",
                () -> ada.get("/v1/search?words=return").json().size() == 1);
        assertThat(ada.get("/v1/search?words=lan").json().size()).isZero();

        ada.write("DELETE", "/v1/assignments/" + assignment + "?version=1", freshKey(), "");
        ada.write("DELETE", "/v1/missions/" + mission + "?version=2", freshKey(), "");
        Await.until(
                "it is not found any more",
                () -> ada.get("/v1/search?words=return").json().size() == 0);
        dashboardIs(ada, project, 0, 0);
    }

    private static void dashboardIs(Person who, String project, long missions, long assignments) {
        Await.until("the dashboard shows " + missions + " and " + assignments, () -> {
            PlannerResponse dashboard = who.get("/v1/projects/" + project + "/dashboard");
            return dashboard.number("missions") == missions && dashboard.number("assignments") == assignments;
        });
    }

    @ParameterizedTest
    @EnumSource
    void moveWritesOnlyTheAssignmentAndUpdatesBothDashboards(Engine engine) {
        Person ada = engine.organisation().ada();
        String here = ada.newProject();
        String there = ada.newProject();
        String from = ada.newMission(here);
        String to = ada.newMission(there);
        String assignment = ada.newAssignment(from, "bob");
        dashboardIs(ada, here, 1, 1);
        ada.post("/v1/assignments/" + assignment + "/move", freshKey(), "{\"mission\":\"" + to + "\",\"version\":1}");
        dashboardIs(ada, here, 1, 0);
        dashboardIs(ada, there, 1, 1);
        for (String mission : List.of(from, to)) {
            assertThat(ada.get("/v1/missions/" + mission).number("version")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rejectedWriteSendsNothing(Engine engine) {
        Person ada = engine.organisation().ada();
        String mission = ada.newMission(ada.newProject());
        String jobs = "SELECT count(*) FROM semel_record WHERE tenant = ? AND place IS NOT NULL";
        long before = engine.planner().count(jobs, ada.organisation());
        assertThat(ada.write("PATCH", "/v1/missions/" + mission, freshKey(), "{\"name\":\"X\",\"version\":9}")
                        .status())
                .isEqualTo(409);
        assertThat(engine.planner().count(jobs, ada.organisation())).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void jobIsRetriedUnderItsKeyAndTakesEffectOnce(Engine engine) {
        Organisation home = engine.organisation();
        ScriptedNotifier notifier = engine.planner().notifier();
        notifier.when(home.id(), call -> {
            if (call < 3) {
                throw Failure.of(Failure.Category.NETWORK, "The mail service is away.")
                        .asException();
            }
        });
        Person bob = home.bob();
        String assignment = assigned(home, "bob", "correlation-7");
        Await.until("bob is told", () -> bob.get("/v1/notifications").json().size() == 1);
        Key key = Jobs.key(Tenant.of(home.id()), Jobs.NOTIFICATIONS, "assignment/" + assignment + "@1");
        Await.until(
                "the job is done",
                () -> job(engine, home, Jobs.NOTIFICATIONS, key).state() == State.COMPLETED);
        Row job = job(engine, home, Jobs.NOTIFICATIONS, key);
        assertThat(job.status().attempt()).isEqualTo(3);
        assertThat(job.header().correlationId()).isEqualTo("correlation-7");
        assertThat(notifier.deliveries(home.id())).hasSize(3);
        assertThat(Set.copyOf(notifier.deliveries(home.id()))).hasSize(1);

        Sent.Accepted again = engine.planner()
                .semel()
                .send(
                        Jobs.NOTIFICATIONS,
                        Message.of(
                                Tenant.of(home.id()),
                                key,
                                new Jobs.TellPerson(
                                        "bob",
                                        "You are assigned to Land.",
                                        new Jobs.RequestedBy("somebody else", "another request"))))
                .orThrow();
        assertThat(again.first()).as("a second job of that key").isFalse();
        assertThat(notifier.deliveries(home.id())).hasSize(3);
        assertThat(bob.get("/v1/notifications").json().size()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void jobThatKeepsFailingBecomesADeadLetterOfItsOrganisation(Engine engine) {
        Organisation home = engine.organisation();
        engine.planner().notifier().when(home.id(), call -> {
            throw Failure.of(Failure.Category.NETWORK, "The mail service is away.")
                    .asException();
        });
        assigned(home, "bob", "correlation-8");
        Person ada = home.ada();
        Await.until("it is given up", () -> ada.get("/v1/dead-letters").json().size() == 1);
        var letter = ada.get("/v1/dead-letters").json().path(0);
        assertThat(letter.path("channel").asString()).isEqualTo("notifications.tell-person");
        assertThat(letter.path("attempts").asInt()).isEqualTo(5);
        assertThat(letter.path("reason").asString()).isEqualTo("The mail service is away.");
        assertThat(letter.path("category").asString()).isEqualTo("network");
        assertThat(letter.path("payload_hash").asString()).matches("v1:[0-9a-f]{64}");
        assertThat(letter.path("correlation_id").asString()).isEqualTo("correlation-8");
        assertThat(engine.planner().notifier().deliveries(home.id())).hasSize(5);
        assertThat(engine.organisation().ada().get("/v1/dead-letters").json().size())
                .isZero();
    }

    @ParameterizedTest
    @EnumSource
    void permanentlyFailedJobIsNotRetried(Engine engine) {
        Organisation home = engine.organisation();
        engine.planner().notifier().when(home.id(), call -> {
            throw Failure.of(Failure.Category.VALIDATION, "Nobody has that address.")
                    .asException();
        });
        assigned(home, "nobody", "correlation-9");
        Person ada = home.ada();
        Await.until("it is given up", () -> ada.get("/v1/dead-letters").json().size() == 1);
        assertThat(engine.planner().notifier().deliveries(home.id())).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void leaseOfALongJobIsRenewed(Engine engine) {
        Organisation home = engine.organisation();
        CountDownLatch done = new CountDownLatch(1);
        engine.planner().notifier().when(home.id(), call -> await(done));
        Person bob = home.bob();
        String assignment = assigned(home, "bob", "correlation-10");
        Key key = Jobs.key(Tenant.of(home.id()), Jobs.NOTIFICATIONS, "assignment/" + assignment + "@1");
        Await.until(
                "it runs",
                () -> !engine.planner().notifier().deliveries(home.id()).isEmpty());
        long first = job(engine, home, Jobs.NOTIFICATIONS, key).status().at();
        Await.until(
                "its lease ends later than at first",
                () -> job(engine, home, Jobs.NOTIFICATIONS, key).status().at() > first);
        done.countDown();
        Await.until("bob is told", () -> bob.get("/v1/notifications").json().size() == 1);
        Await.until(
                "the job is done",
                () -> job(engine, home, Jobs.NOTIFICATIONS, key).state() == State.COMPLETED);
        assertThat(job(engine, home, Jobs.NOTIFICATIONS, key).status().attempt())
                .isEqualTo(1);
        assertThat(engine.planner().notifier().deliveries(home.id())).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void sameAnnouncementOfTwoRequestsIsOneJobUnderTheHashOfItsWords(Engine engine) {
        Organisation home = engine.organisation();
        Person ada = home.ada();
        Person bob = home.bob();
        String body = "{\"words\":\"Launch at nine.\"}";
        PlannerResponse first = ada.post("/v1/announcements", freshKey(), body);
        PlannerResponse second = bob.post("/v1/announcements", freshKey(), body);
        assertThat(first)
                .matches(heard ->
                        heard.status() == 202 && heard.json().path("first").asBoolean());
        assertThat(second)
                .matches(heard ->
                        heard.status() == 202 && !heard.json().path("first").asBoolean());
        Key key = Jobs.hashKey(Tenant.of(home.id()), Jobs.ANNOUNCEMENTS, "Launch at nine.");
        Await.until(
                "the job is done",
                () -> job(engine, home, Jobs.ANNOUNCEMENTS, key).state() == State.COMPLETED);
        for (Person each : List.of(ada, bob)) {
            assertThat(each.get("/v1/notifications").json().toString()).isEqualTo("[\"Launch at nine.\"]");
        }
        assertThat(ada.post("/v1/announcements", freshKey(), "{\"words\":\"Launch at ten.\"}")
                        .json()
                        .path("first")
                        .asBoolean())
                .as("other words are another job")
                .isTrue();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String assigned(Organisation home, String person, String correlation) {
        Person ada = home.ada();
        String mission = ada.newMission(ada.newProject());
        PlannerResponse made = Person.send(ada.keyed(
                        "POST",
                        "/v1/missions/" + mission + "/assignments",
                        freshKey(),
                        "{\"person\":\"" + person + "\"}")
                .header("X-Correlation-ID", correlation));
        assertThat(made.status()).isEqualTo(201);
        return made.text("id");
    }

    private static Row job(Engine engine, Organisation home, Channel<?> channel, Key key) {
        return engine.planner()
                .operator()
                .find(Tenant.of(home.id()), channel.name(), key)
                .orElseThrow();
    }

    @Test
    void jobKeyContainsOrganisationQueueTypeAndResourceOrHash() {
        assertThat(Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "mission/7@3").text())
                .isEqualTo("job:acme:search:index-mission:mission%2F7%403");
        assertThat(Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "a:b").text())
                .as("no resource can pass for another part of the key")
                .isEqualTo("job:acme:search:index-mission:a%3Ab");
        assertThat(Jobs.hashKey(Tenant.of("acme"), Jobs.ANNOUNCEMENTS, "Launch.")
                        .text())
                .matches("job:acme:notifications:announce:#[0-9a-f]{64}")
                .isEqualTo(Jobs.hashKey(Tenant.of("acme"), Jobs.ANNOUNCEMENTS, "Launch.")
                        .text())
                .isNotEqualTo(Jobs.hashKey(Tenant.of("acme"), Jobs.ANNOUNCEMENTS, "Launch!")
                        .text());
        assertThat(Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "mission/7@3"))
                .isEqualTo(Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "mission/7@3"));
        assertThat(Set.of(
                        Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "mission/7@3"),
                        Jobs.key(Tenant.of("globex"), Jobs.SEARCH, "mission/7@3"),
                        Jobs.key(Tenant.of("acme"), Jobs.DASHBOARD, "mission/7@3"),
                        Jobs.key(Tenant.of("acme"), Jobs.SEARCH, "mission/7@4")))
                .hasSize(4);
    }
}
