package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Missions. */
@RestController
@RequestMapping("/v1")
class MissionController {
    private final Missions missions;

    MissionController(Missions missions) {
        this.missions = missions;
    }

    @PostMapping("/projects/{project}/missions")
    ResponseEntity<Missions.Mission> create(
            Caller caller, @PathVariable String project, @RequestBody Missions.MissionDraft draft) {
        Missions.Mission made = missions.create(caller, project, draft);
        return Answers.created("/v1/missions/" + made.id(), made.version(), made);
    }

    @GetMapping("/projects/{project}/missions")
    List<Missions.Mission> list(
            Caller caller, @PathVariable String project, @RequestParam(defaultValue = "100") int limit) {
        return missions.list(caller, project, InputChecks.limit(limit));
    }

    @GetMapping("/missions/{mission}")
    ResponseEntity<Missions.Mission> get(Caller caller, @PathVariable String mission) {
        Missions.Mission now = missions.get(caller, mission);
        return Answers.of(now.version(), now);
    }

    @PutMapping("/missions/{mission}")
    ResponseEntity<Missions.Mission> replace(
            Caller caller, @PathVariable String mission, @RequestBody Missions.MissionDraft draft) {
        Missions.Mission now = missions.replace(caller, mission, draft);
        return Answers.of(now.version(), now);
    }

    @PatchMapping("/missions/{mission}")
    ResponseEntity<Missions.Mission> change(
            Caller caller, @PathVariable String mission, @RequestBody Missions.MissionDraft draft) {
        Missions.Mission now = missions.change(caller, mission, draft);
        return Answers.of(now.version(), now);
    }

    /** The version is in the query, which is part of the payload. */
    @DeleteMapping("/missions/{mission}")
    ResponseEntity<Void> delete(
            Caller caller, @PathVariable String mission, @RequestParam(required = false) @Nullable Long version) {
        missions.delete(caller, mission, version);
        return ResponseEntity.noContent().build();
    }
}
