package dev.semel.console.admin;

import dev.semel.console.admin.AdminEndpoint.AdminHandler;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How many reports and exports may walk through the ledger at once. Further ones wait for a moment, because a person who goes from page to
 * page leaves some behind that nobody waits for any more; then they are refused. Thread-safe.
 */
final class ReportLimit {
    static final int AT_ONCE = 4;

    private static final Duration SOON = Duration.ofSeconds(5);

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Semaphore free = new Semaphore(AT_ONCE, true);
    private final Duration patience;

    ReportLimit() {
        this(PATIENCE);
    }

    /** @param patience how long a further one waits */
    ReportLimit(Duration patience) {
        this.patience = patience;
    }

    /** The same handler, which counts from its beginning until its answer is written. */
    static AdminHandler limited(AdminHandler handler) {
        return (all, call) -> all.reports().limit().respond(() -> handler.respond(all, call));
    }

    /** Makes a report. */
    @FunctionalInterface
    interface Report {
        AdminReply make() throws ApiProblem;
    }

    private boolean isGranted() {
        try {
            return free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    AdminReply respond(Report report) throws ApiProblem {
        if (!isGranted()) {
            throw new ApiProblem(
                            ApiCode.RATE_LIMITED,
                            "This node makes " + AT_ONCE
                                    + " reports and exports at a time, and as many are under way. Nothing was done. Ask again"
                                    + " when one of them has ended.")
                    .retryAfter(SOON);
        }
        AtomicBoolean held = new AtomicBoolean(true);
        Runnable end = () -> {
            if (held.getAndSet(false)) {
                free.release();
            }
        };
        boolean later = false;
        try {
            AdminReply reply = report.make();
            if (reply instanceof AdminReply.ManyObjects many) {
                later = true;
                return new AdminReply.ManyObjects(many.source(), end);
            }
            return reply;
        } finally {
            if (!later) {
                end.run();
            }
        }
    }
}
