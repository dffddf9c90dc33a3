package dev.semel.console.admin;

import dev.semel.console.live.LiveEvent;
import dev.semel.console.live.LiveSource;
import dev.semel.operator.Overview;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The overview, each time that it was read anew, for one stream. Streams of the same window and tenant share what was read. */
final class OverviewFollower implements LiveSource {
    private final Supplier<Overview> overviews;
    private final Function<Overview, Map<String, Object>> facts;
    private @Nullable Overview last;

    /** @param overviews gives the same object until it reads again */
    OverviewFollower(Supplier<Overview> overviews, Function<Overview, Map<String, Object>> facts) {
        this.overviews = overviews;
        this.facts = facts;
    }

    @Override
    public List<LiveEvent> poll() {
        Overview now = overviews.get();
        if (now == last) {
            return List.of();
        }
        last = now;
        return List.of(new LiveEvent("overview", null, facts.apply(now)));
    }
}
