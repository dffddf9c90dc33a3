package dev.semel.cli;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import picocli.CommandLine.Option;

/** For commands that work on a store. */
final class StoreOption {
    @Option(
            names = "--store",
            paramLabel = "URL",
            required = true,
            defaultValue = "${env:SEMEL_STORE}",
            description = {
                "The store, such as sqlite:orders.db or postgresql://user@host/database.",
                "Without it the environment variable SEMEL_STORE is used, which keeps a password from the list of processes."
            })
    private String url = "";

    String url() {
        return url;
    }

    /** A ledger that is there: a mistyped URL makes no new one. */
    Store open() {
        return Stores.open(url, StoreProvider.Options.EXISTING);
    }

    /** As {@link #open}, also when the ledger was restored from a copy. */
    Store openRestored() {
        return Stores.open(url, new StoreProvider.Options(null, true, false));
    }
}
