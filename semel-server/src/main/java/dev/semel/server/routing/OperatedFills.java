package dev.semel.server.routing;

import dev.semel.console.admin.RouteFilling;
import dev.semel.operator.Operator.Warrant;
import java.util.Optional;

/** Fills as the API for operators asks for them. Thread-safe. */
public final class OperatedFills implements RouteFilling {
    private final RouteFills fills;

    public OperatedFills(RouteFills fills) {
        this.fills = fills;
    }

    @Override
    public String channel() {
        return RouteFills.channelName();
    }

    @Override
    public FillCount preview(FillSelection which) {
        FillPreview preview = fills.preview(request(which));
        return new FillCount(preview.matched(), preview.already(), preview.oldest());
    }

    @Override
    public Optional<StartedFill> begin(FillSelection which, int perSecond, Warrant warrant) {
        FillPreview preview = fills.preview(request(which));
        return preview.matched() == 0
                ? Optional.empty()
                : Optional.of(new StartedFill(fills.begin(preview, perSecond, warrant), preview.matched()));
    }

    @Override
    public Optional<FillStanding> find(String job) {
        return fills.progress(job, 1)
                .map(progress -> new FillStanding(
                        progress.newest(),
                        progress.part(),
                        progress.sent(),
                        progress.matched(),
                        progress.request().tenant()));
    }

    @Override
    public long left(String job) {
        return fills.left(job).map(FillPreview::matched).orElse(0L);
    }

    private static FillRequest request(FillSelection which) {
        return new FillRequest(which.from(), which.to(), which.tenant(), which.since());
    }
}
