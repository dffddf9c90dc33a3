package dev.semel.examples.planner.planning;

import dev.semel.examples.planner.access.Caller;
import dev.semel.examples.planner.effects.Effects;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Requests for announcements. They change no aggregate: the announcement is made by its job. */
@Service
class AnnouncementRequests {
    private final ChangeHistory trail;
    private final Effects effects;

    AnnouncementRequests(ChangeHistory trail, Effects effects) {
        this.trail = trail;
        this.effects = effects;
    }

    /** @return whether these words were not announced before */
    @Transactional
    public boolean make(Caller caller, String words) {
        boolean first = effects.announce(caller, words);
        trail.wrote(caller, first ? "announcement.requested" : "announcement.repeated", "announcement", 1);
        return first;
    }
}
