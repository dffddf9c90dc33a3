package dev.semel.cli;

import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import picocli.CommandLine.Option;

/** The store of a command. */
final class StoreOption {
    @Option(
            names = "--store",
            paramLabel = "URL",
            required = true,
            defaultValue = "${env:SEMEL_STORE}",
            description = {
                "The store, such as sqlite:orders.db or postgresql://user@host/database.",
                "By default the environment variable SEMEL_STORE, which keeps a password out of the process list."
            })
    private String url = "";

    String url() {
        return url;
    }

    /** Opens an existing ledger: a mistyped URL does not create one. */
    Store open() {
        return Stores.open(url, StoreProvider.Options.EXISTING);
    }
}
