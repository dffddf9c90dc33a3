package dev.semel.examples.helpdesk;

import dev.semel.testkit.PrivatePostgres;
import dev.semel.testkit.Scratch;

/** The stores on which every rule is tested. */
enum Engine {
    SQLITE {
        @Override
        String fresh() {
            return "sqlite:" + Scratch.directory("helpdesk").resolve("ledger.db");
        }
    },
    POSTGRESQL {
        @Override
        String fresh() throws Exception {
            return PrivatePostgres.shared().url(PrivatePostgres.shared().freshDatabase());
        }
    };

    /** The URL of an empty store. */
    abstract String fresh() throws Exception;
}
