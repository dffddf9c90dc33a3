package dev.semel.cli;

import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One run of the demo from its start to its score. Used by one thread; any thread may stop it. */
final class DemoRun {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long SETTLING = 30 * SECOND;

    /** The pause between two counts of the payments, as a multiple of the duration of a count. */
    private static final int COUNTING_SHARE = 5;

    /** @param length the duration; null for a run until it is stopped */
    record Plan(int processes, @Nullable Duration length) {}

    private final Plan plan;
    private final DemoTraffic traffic;
    private final DemoProcesses crew;
    private final DemoCounter judge;
    private final DemoScreen screen;
    private final RandomGenerator random;
    private final TimeSource time = TimeSource.system();
    private final TimeSource.Gate stop = time.gate();
    private DemoScore.Effects effects = new DemoScore.Effects(0, 0, 0);
    private long begun;
    private long nextCount;

    DemoRun(
            Plan plan,
            DemoTraffic traffic,
            DemoProcesses crew,
            DemoCounter judge,
            DemoScreen screen,
            RandomGenerator random) {
        this.plan = plan;
        this.traffic = traffic;
        this.crew = crew;
        this.judge = judge;
        this.screen = screen;
        this.random = random;
        this.begun = time.nanos();
    }

    void stop() {
        stop.open();
    }

    DemoScore play() throws InterruptedException {
        String ending = plan.length() == null
                ? "stop with Ctrl-C"
                : "stops after " + plan.length().toSeconds() + " s";
        crew.hire(plan.processes());
        while (!crew.allReady() && !stop.await(TICK)) {
            crew.keepBusy();
            show("starting " + plan.processes() + " processes");
            begun = time.nanos();
        }
        long nextKill = begun + pause();
        while (!isOver() && !stop.await(TICK)) {
            crew.keepBusy();
            if (time.nanos() >= nextKill && crew.killOne(random)) {
                nextKill = time.nanos() + pause();
            }
            count();
            show(ending);
        }
        double seconds = seconds();
        settle();
        crew.close();
        effects = judge.atTheEnd(traffic);
        return score(seconds);
    }

    /** Whether the time is over and at least one crash was survived. */
    private boolean isOver() {
        Duration length = plan.length();
        return length != null && time.nanos() - begun >= length.toNanos() && crew.crashes() > 0;
    }

    private long pause() {
        return SECOND * 3 / 4 + random.nextLong(SECOND);
    }

    /** Stops new payments and crashes, and lets all callers get their answers. */
    private void settle() throws InterruptedException {
        traffic.close();
        long until = time.nanos() + SETTLING;
        while (!traffic.settled() && time.nanos() < until) {
            crew.keepBusy();
            show("no more crashes; answering the last callers");
            time.sleep(TICK);
        }
    }

    private void count() {
        long now = time.nanos();
        if (now >= nextCount) {
            effects = judge.soFar(traffic, effects);
            long took = time.nanos() - now;
            nextCount = time.nanos() + Math.max(SECOND, took * COUNTING_SHARE);
        }
    }

    private void show(String said) {
        screen.show(score(seconds()), crew.states(), said);
    }

    private double seconds() {
        return (double) (time.nanos() - begun) / SECOND;
    }

    private DemoScore score(double seconds) {
        DemoTraffic.Tally tally = traffic.tally();
        DemoTraffic.Transfers transfers = traffic.transfers();
        return new DemoScore(
                new DemoScore.Calls(
                        tally.asked(),
                        tally.of(DemoAnswer.EXECUTED),
                        tally.of(DemoAnswer.REPLAYED),
                        tally.of(DemoAnswer.IN_PROGRESS),
                        tally.retried(),
                        tally.unanswered()),
                effects,
                new DemoScore.Faults(crew.crashes(), transfers.takenOver(), transfers.redelivered()),
                Math.round(seconds * 10) / 10.0);
    }
}
