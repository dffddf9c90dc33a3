package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Announcements to everybody in the organisation. */
@RestController
class AnnouncementController {
    private final AnnouncementRequests announcements;

    AnnouncementController(AnnouncementRequests announcements) {
        this.announcements = announcements;
    }

    /** The request body. */
    record AnnouncementDraft(@Nullable String words) {}

    /** @param first whether these words are announced because of this request, and were not before */
    record Announcement(String words, boolean first) {}

    @PostMapping(FeatureFilter.ANNOUNCEMENTS)
    ResponseEntity<Announcement> announce(Caller caller, @RequestBody AnnouncementDraft draft) {
        String words = InputChecks.text("words", draft.words());
        return ResponseEntity.accepted().body(new Announcement(words, announcements.make(caller, words)));
    }
}
