package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Projects, and the change history of the organisation. */
@RestController
@RequestMapping("/v1")
class ProjectController {
    private final Projects projects;
    private final ChangeHistory trail;
    private final RequestReplays replays;

    ProjectController(Projects projects, ChangeHistory trail, RequestReplays replays) {
        this.projects = projects;
        this.trail = trail;
        this.replays = replays;
    }

    @PostMapping("/projects")
    ResponseEntity<Projects.Project> create(Caller caller, @RequestBody Projects.ProjectDraft draft) {
        Projects.Project made = projects.create(caller, draft);
        return Answers.created("/v1/projects/" + made.id(), made.version(), made);
    }

    @PutMapping("/projects/{project}")
    ResponseEntity<Projects.Project> rename(
            Caller caller, @PathVariable String project, @RequestBody Projects.ProjectDraft draft) {
        Projects.Project now = projects.rename(caller, project, draft);
        return Answers.of(now.version(), now);
    }

    @GetMapping("/projects/{project}")
    ResponseEntity<Projects.Project> get(Caller caller, @PathVariable String project) {
        Projects.Project now = projects.get(caller, project);
        return Answers.of(now.version(), now);
    }

    @GetMapping("/projects")
    List<Projects.Project> list(Caller caller, @RequestParam(defaultValue = "100") int limit) {
        return projects.list(caller, InputChecks.limit(limit));
    }

    @GetMapping("/audit")
    List<ChangeHistory.Event> audit(Caller caller, @RequestParam(defaultValue = "100") int limit) {
        return trail.read(caller, InputChecks.limit(limit));
    }

    /** One event, and the replays of its request. */
    @GetMapping("/audit/{event}")
    List<ChangeHistory.Event> audit(Caller caller, @PathVariable String event) {
        return replays.with(trail.get(caller, event));
    }
}
