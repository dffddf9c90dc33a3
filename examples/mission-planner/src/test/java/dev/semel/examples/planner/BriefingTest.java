package dev.semel.examples.planner;

import static dev.semel.examples.planner.Person.freshKey;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The aggregate whose version is the time of its last change. */
class BriefingTest {
    private static String draft(String words, String updatedAt) {
        return "{\"words\":\"" + words + "\",\"updated_at\":\"" + updatedAt + "\"}";
    }

    private static String first(Person who, String briefing) {
        PlannerResponse made = who.write("PUT", briefing, freshKey(), "{\"words\":\"Be careful.\"}");
        assertThat(made.status()).isEqualTo(200);
        return made.text("updated_at");
    }

    @ParameterizedTest
    @EnumSource
    void changeFromAnOutdatedTimeIsRejectedAndTheNewTimeWorks(Engine engine) {
        Person ada = engine.organisation().ada();
        String briefing = "/v1/projects/" + ada.newProject() + "/briefing";
        String made = first(ada, briefing);
        PlannerResponse changed = ada.write("PUT", briefing, freshKey(), draft("Be quick.", made));
        assertThat(changed.status()).isEqualTo(200);
        assertThat(Instant.parse(changed.text("updated_at"))).isAfter(Instant.parse(made));

        String key = freshKey();
        assertThat(ada.write("PUT", briefing, key, draft("Be late.", made)))
                .matches(heard -> heard.is(409, "concurrency.version_mismatch"));
        assertThat(ada.write("PUT", briefing, key, draft("Be late.", made)))
                .matches(heard -> heard.is(409, "concurrency.version_mismatch"))
                .matches(PlannerResponse::isReplay);

        PlannerResponse now = ada.get(briefing);
        assertThat(now.text("words")).isEqualTo("Be quick.");
        assertThat(now.header("ETag")).isEqualTo("\"" + now.text("updated_at") + "\"");
        PlannerResponse again = Person.send(ada.keyed("PUT", briefing, freshKey(), "{\"words\":\"Be late.\"}")
                .header("If-Match", now.header("ETag")));
        assertThat(again.status()).isEqualTo(200);
        assertThat(ada.get("/v1/audit").json().path(0).path("version").asLong())
                .isEqualTo(Instant.parse(again.text("updated_at")).toEpochMilli());
    }

    @ParameterizedTest
    @EnumSource
    void oneOfSeveralConcurrentChangesFromTheSameTimeWins(Engine engine) {
        Person ada = engine.organisation().ada();
        String briefing = "/v1/projects/" + ada.newProject() + "/briefing";
        String made = first(ada, briefing);
        List<PlannerResponse> answers = atOnce(ada, briefing, ",\"updated_at\":\"" + made + "\"}");
        assertThat(answers).filteredOn(heard -> heard.status() == 200).hasSize(1);
        assertThat(answers)
                .filteredOn(heard -> heard.status() != 200)
                .allMatch(heard -> heard.is(409, "concurrency.version_mismatch"));
        PlannerResponse won = answers.stream()
                .filter(heard -> heard.status() == 200)
                .findFirst()
                .orElseThrow();
        assertThat(ada.get(briefing).text("words")).isEqualTo(won.text("words"));
    }

    @ParameterizedTest
    @EnumSource
    void oneOfSeveralConcurrentFirstBriefingsWins(Engine engine) {
        Person ada = engine.organisation().ada();
        String briefing = "/v1/projects/" + ada.newProject() + "/briefing";
        assertThat(ada.get(briefing)).matches(heard -> heard.is(404, "briefing.not_found"));
        List<PlannerResponse> answers = atOnce(ada, briefing, "}");
        assertThat(answers).filteredOn(heard -> heard.status() == 200).hasSize(1);
        // Who comes later finds a briefing, and has not said which one it changes.
        assertThat(answers)
                .filteredOn(heard -> heard.status() != 200)
                .allMatch(heard -> heard.is(409, "concurrency.version_mismatch") || heard.is(400, "request.invalid"));
    }

    private static List<PlannerResponse> atOnce(Person who, String briefing, String end) {
        List<CompletableFuture<PlannerResponse>> asked = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            asked.add(Person.sending(who.keyed("PUT", briefing, freshKey(), "{\"words\":\"Number " + i + "\"" + end)));
        }
        return asked.stream().map(CompletableFuture::join).toList();
    }

    /** A time that differs by less than a millisecond is another one; and the clock of a node may be behind. */
    @ParameterizedTest
    @EnumSource
    void timeIsComparedExactlyAndGrowsEvenIfTheClockIsBehind(Engine engine) {
        Person ada = engine.organisation().ada();
        String briefing = "/v1/projects/" + ada.newProject() + "/briefing";
        Instant made = Instant.parse(first(ada, briefing));
        assertThat(ada.write(
                        "PUT",
                        briefing,
                        freshKey(),
                        draft("Nearly.", made.plusNanos(1_000).toString())))
                .matches(heard -> heard.is(409, "concurrency.version_mismatch"));

        Instant ahead = Instant.parse("2100-01-01T00:00:00Z");
        engine.planner()
                .jdbc()
                .sql("UPDATE briefing SET updated_at = ? WHERE organisation = ?")
                .params(ahead.toEpochMilli(), ada.organisation())
                .update();
        PlannerResponse changed = ada.write("PUT", briefing, freshKey(), draft("Be quick.", ahead.toString()));
        assertThat(changed.status()).isEqualTo(200);
        assertThat(Instant.parse(changed.text("updated_at"))).isEqualTo(ahead.plusMillis(1));
    }
}
