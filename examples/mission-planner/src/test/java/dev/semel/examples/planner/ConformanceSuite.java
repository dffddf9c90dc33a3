package dev.semel.examples.planner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.semel.conformance.Conformance;
import dev.semel.conformance.ConformanceReport;
import dev.semel.conformance.Target;
import java.net.URI;
import org.junit.jupiter.api.Test;

/** The planner keeps every promise of the contract that can be seen from outside. */
abstract class ConformanceSuite {
    private static final String BODY = "{\"name\":\"Mission {n}\",\"status\":\"PLANNED\"}";
    private static final long LARGEST = 64 << 10;

    private final Engine engine;

    ConformanceSuite(Engine engine) {
        this.engine = engine;
    }

    @Test
    void everyRowHolds() {
        Organisation home = engine.organisation();
        Person ada = home.ada();
        Person stranger = engine.organisation().ada();
        String project = ada.newProject();
        // The stranger has a project of the same id: what keeps the two apart is the organisation, not the id.
        engine.planner()
                .jdbc()
                .sql("INSERT INTO project (organisation, id, name, version) VALUES (?, ?, 'Theirs', 1)")
                .params(stranger.organisation(), project)
                .update();
        URI missions = at("/v1/projects/" + project + "/missions");
        Target target = Target.at(missions, BODY)
                .withCallers(new Target.Callers(ada.headers(), home.bob().headers(), stranger.headers()))
                .withPlaces(new Target.Places(
                        at("/v1/projects/" + ada.newProject() + "/missions"),
                        at("/v1/projects"),
                        URI.create(missions + "?limit=1000")))
                .withLimits(new Target.ServiceLimits(LARGEST, 409, 16));
        ConformanceReport report = new Conformance(target).run(row -> {});
        assertThat(report.rows())
                .hasSize(Conformance.size())
                .filteredOn(row -> row.verdict() != ConformanceReport.RowVerdict.HELD)
                .extracting(ConformanceReport.Finding::row, ConformanceReport.Finding::verdict)
                // the planner sets no cookie that a replay could repeat
                .containsExactly(tuple("replay.never", ConformanceReport.RowVerdict.NOT_OBSERVED));
    }

    private URI at(String path) {
        return engine.planner().base().resolve(path);
    }
}
