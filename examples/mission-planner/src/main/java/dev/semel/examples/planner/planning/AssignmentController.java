package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Assignments. */
@RestController
@RequestMapping("/v1")
class AssignmentController {
    private final Assignments assignments;

    AssignmentController(Assignments assignments) {
        this.assignments = assignments;
    }

    @PostMapping("/missions/{mission}/assignments")
    ResponseEntity<Assignments.Assignment> create(
            Caller caller, @PathVariable String mission, @RequestBody Assignments.AssignmentDraft draft) {
        Assignments.Assignment made = assignments.create(caller, mission, draft);
        return Answers.created("/v1/assignments/" + made.id(), made.version(), made);
    }

    @GetMapping("/missions/{mission}/assignments")
    List<Assignments.Assignment> list(
            Caller caller, @PathVariable String mission, @RequestParam(defaultValue = "100") int limit) {
        return assignments.list(caller, mission, InputChecks.limit(limit));
    }

    @GetMapping("/assignments/{assignment}")
    ResponseEntity<Assignments.Assignment> get(Caller caller, @PathVariable String assignment) {
        Assignments.Assignment now = assignments.get(caller, assignment);
        return Answers.of(now.version(), now);
    }

    @PostMapping("/assignments/{assignment}/move")
    ResponseEntity<Assignments.Assignment> move(
            Caller caller, @PathVariable String assignment, @RequestBody Assignments.Move move) {
        Assignments.Assignment now = assignments.move(caller, assignment, move);
        return Answers.of(now.version(), now);
    }

    @DeleteMapping("/assignments/{assignment}")
    ResponseEntity<Void> delete(
            Caller caller, @PathVariable String assignment, @RequestParam(required = false) @Nullable Long version) {
        assignments.delete(caller, assignment, version);
        return ResponseEntity.noContent().build();
    }
}
