package dev.semel.jdbc.fault;

import dev.semel.Semel;
import dev.semel.engine.EngineSettings;
import dev.semel.jdbc.WeakSync;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;

/**
 * Planted bugs of a worker, which the judge must catch. A flawed call says that its time has come and stops
 * where it is, so that a kill finds it there.
 */
enum Flaw {
    NONE,
    /** Says "done" before the commit. */
    ACKNOWLEDGES_BEFORE_COMMIT,
    /** Commits the effect by itself, before the record. */
    COMMITS_THE_EFFECT_ALONE,
    /** Runs on SQLite with synchronous=NORMAL. */
    SYNCS_LESS;

    private static final int EVERY = 4;

    Semel open(Place place) throws Exception {
        EngineSettings settings =
                this == SYNCS_LESS ? EngineSettings.on(WeakSync.open(place.store())) : EngineSettings.at(place.store());
        return settings.withPolicy(Work.POLICY).open();
    }

    void pay(Connection transaction, Place place, Work.Item item, byte[] result) throws SQLException {
        if (this == COMMITS_THE_EFFECT_ALONE) {
            try (Connection own = place.connect()) {
                Caller.insert(own, item, result);
            }
        } else {
            Caller.insert(transaction, item, result);
        }
    }

    void beforeCommit(long call, Runnable acknowledge) throws InterruptedException {
        if (this == NONE || this == SYNCS_LESS || call % EVERY != 0) {
            return;
        }
        if (this == ACKNOWLEDGES_BEFORE_COMMIT) {
            acknowledge.run();
        }
        for (int i = 0; i < Campaign.MOST_CALLS; i++) {
            System.out.write(1);
        }
        System.out.flush();
        new CountDownLatch(1).await();
    }
}
