package dev.semel.jdbc.fault;

import dev.semel.Semel;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.sqlite.SqliteTap;
import dev.semel.jdbc.sqlite.WeakSync;
import dev.semel.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Planted bugs of a service, which the judge must catch. */
enum ServiceBug {
    NONE,
    /** Says "done" before the commit, and stops there for a kill to find it. */
    ACKNOWLEDGES_BEFORE_COMMIT,
    /** Commits the effect by itself, before the record, and stops there for a kill to find it. */
    COMMITS_THE_EFFECT_ALONE,
    /** The same without a stop. */
    COMMITS_THE_EFFECT_FIRST,
    /** Runs on SQLite with synchronous=NORMAL. */
    SYNCS_LESS,
    /** Takes a commit that failed for one that did not. */
    IGNORES_FAILED_COMMITS,
    /** Looks a record up and then writes, and says in between that its time has come and waits for the others. */
    LOOKS_THEN_WRITES;

    private static final int EVERY = 4;

    Semel open(RunDatabases place) throws Exception {
        return EngineSettings.on(store(place)).withPolicy(WorkKind.POLICY).open();
    }

    private Store store(RunDatabases place) throws Exception {
        return switch (this) {
            case SYNCS_LESS -> WeakSync.open(place.store());
            case IGNORES_FAILED_COMMITS -> new IgnoresFailedCommits(place.open());
            case LOOKS_THEN_WRITES -> new LooksThenWrites(place.open(), ServiceBug::meet);
            default -> place.open();
        };
    }

    /** The kinds of work in which it shows. */
    List<WorkKind> works() {
        return this == IGNORES_FAILED_COMMITS ? List.of(WorkKind.PAY) : List.of(WorkKind.values());
    }

    /** The bug in the statements of a ledger on SQLite. */
    SqliteTap tap() {
        return this == COMMITS_THE_EFFECT_FIRST ? SqliteFaults.commitTheEffectFirst() : SqliteTap.Step::run;
    }

    private static void meet() {
        System.out.write(1);
        System.out.flush();
        try {
            System.in.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void pay(Connection transaction, RunDatabases place, WorkKind.Item item, byte[] result) throws SQLException {
        boolean apart = this == COMMITS_THE_EFFECT_FIRST && !place.isSqlite();
        if (apart || this == COMMITS_THE_EFFECT_ALONE) {
            try (Connection own = place.connect()) {
                RecordingCaller.insert(own, item, result);
            }
        } else {
            RecordingCaller.insert(transaction, item, result);
        }
    }

    void beforeCommit(long call, Runnable acknowledge) throws InterruptedException {
        boolean stops = this == ACKNOWLEDGES_BEFORE_COMMIT || this == COMMITS_THE_EFFECT_ALONE;
        if (!stops || call % EVERY != 0) {
            return;
        }
        if (this == ACKNOWLEDGES_BEFORE_COMMIT) {
            acknowledge.run();
        }
        for (int i = 0; i < KillCampaign.MOST_CALLS; i++) {
            System.out.write(1);
        }
        System.out.flush();
        new CountDownLatch(1).await();
    }
}
