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

    Store open() {
        return Stores.open(url, StoreProvider.Options.DEFAULT);
    }
}
