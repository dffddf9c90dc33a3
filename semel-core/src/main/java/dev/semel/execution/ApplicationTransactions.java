package dev.semel.execution;

import dev.semel.SemelException;
import dev.semel.store.Store;
import dev.semel.store.Transactions;
import java.util.List;

/** The transactions in which a store commits the application's writes with its own, if it can. */
public record ApplicationTransactions(Store store) {
    /** @throws SemelException.Misconfigured when the store cannot run an application's writes in its own transactions */
    Transactions demand() {
        return store.transactions()
                .orElseThrow(() -> new SemelException.Misconfigured(
                        "store " + store.name(),
                        List.of(
                                "it cannot commit the application's writes together with its own, which an atomic operation"
                                        + " needs: use a leased operation, or a SQL store")));
    }
}
