package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import dev.semel.http.ExpectedVersion;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Briefings. */
@RestController
@RequestMapping("/v1/projects/{project}/briefing")
class BriefingController {
    private final Briefings briefings;

    BriefingController(Briefings briefings) {
        this.briefings = briefings;
    }

    @PutMapping
    ResponseEntity<Briefings.Briefing> replace(
            Caller caller,
            @PathVariable String project,
            @RequestBody Briefings.BriefingDraft draft,
            HttpServletRequest request) {
        ExpectedVersion expected =
                draft.updatedAt() == null ? ExpectedVersion.of(request) : ExpectedVersion.of(draft.updatedAt());
        Briefings.Briefing now = briefings.replace(caller, project, InputChecks.text("words", draft.words()), expected);
        return Answers.of(now.updatedAt(), now);
    }

    @GetMapping
    ResponseEntity<Briefings.Briefing> get(Caller caller, @PathVariable String project) {
        Briefings.Briefing now = briefings.get(caller, project);
        return Answers.of(now.updatedAt(), now);
    }
}
