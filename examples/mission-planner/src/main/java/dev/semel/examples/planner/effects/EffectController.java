package dev.semel.examples.planner.effects;

import dev.semel.examples.planner.access.Caller;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Derived data, which may lag behind. */
@RestController
@RequestMapping("/v1")
class EffectController {
    private final Search search;
    private final Dashboards dashboards;
    private final Inbox inbox;
    private final DeadLetters letters;

    EffectController(Search search, Dashboards dashboards, Inbox inbox, DeadLetters letters) {
        this.search = search;
        this.dashboards = dashboards;
        this.inbox = inbox;
        this.letters = letters;
    }

    @GetMapping("/search")
    List<String> search(Caller caller, @RequestParam String words) {
        return search.find(caller, words);
    }

    @GetMapping("/projects/{project}/dashboard")
    Dashboards.Dashboard dashboard(Caller caller, @PathVariable String project) {
        return dashboards.read(caller, project);
    }

    @GetMapping("/notifications")
    List<String> notifications(Caller caller) {
        return inbox.read(caller);
    }

    @GetMapping("/dead-letters")
    List<DeadLetters.Letter> deadLetters(Caller caller) {
        return letters.list(caller);
    }
}
