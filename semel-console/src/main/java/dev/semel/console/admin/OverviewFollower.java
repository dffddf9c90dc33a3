package dev.semel.console.admin;

import dev.semel.console.live.LiveEvent;
import dev.semel.console.live.LiveSource;
import dev.semel.operator.Overview;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The overview, each time that it was read anew or the program's figures changed, for one stream. Streams of the same window and tenant share what was read. */
final class OverviewFollower implements LiveSource {
    private final Supplier<Overview> overviews;
    private final Supplier<List<ProgramFigure>> figures;
    private final Function<Overview, Map<String, Object>> facts;
    private @Nullable Overview last;
    private List<ProgramFigure> shown = List.of();

    /**
     * @param overviews gives the same object until it reads again
     * @param figures what the program adds
     */
    OverviewFollower(
            Supplier<Overview> overviews,
            Supplier<List<ProgramFigure>> figures,
            Function<Overview, Map<String, Object>> facts) {
        this.overviews = overviews;
        this.figures = figures;
        this.facts = facts;
    }

    @Override
    public List<LiveEvent> poll() {
        Overview now = overviews.get();
        List<ProgramFigure> added = figures.get();
        if (now == last && added.equals(shown)) {
            return List.of();
        }
        last = now;
        shown = added;
        return List.of(new LiveEvent("overview", null, facts.apply(now)));
    }
}
