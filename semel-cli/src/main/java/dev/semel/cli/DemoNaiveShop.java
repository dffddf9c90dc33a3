package dev.semel.cli;

import dev.semel.SemelException;
import dev.semel.store.Store;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Payments without Semel: check whether the payment exists, then make it. Two concurrent callers both make it, and the memory of a
 * process is lost with the process.
 */
final class DemoNaiveShop implements DemoShop {
    private final Store store;
    private final DemoTable table;
    private final Bank bank;
    private final Set<Integer> transferred = ConcurrentHashMap.newKeySet();

    DemoNaiveShop(Store store, DemoTable table, Bank bank) {
        this.store = store;
        this.table = table;
        this.bank = bank;
    }

    @Override
    public DemoAnswer pay(int number) throws InterruptedException {
        try {
            return DemoPayment.isTransfer(number) ? transfer(number) : charge(number);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return DemoAnswer.NOT_NOW;
        }
    }

    private DemoAnswer charge(int number) {
        if (DemoTable.inTransaction(store, connection -> table.holds(connection, number))) {
            return DemoAnswer.REPLAYED;
        }
        return DemoTable.inTransaction(store, connection -> {
            table.insert(connection, DemoPayment.of(number));
            return DemoAnswer.EXECUTED;
        });
    }

    private DemoAnswer transfer(int number) throws InterruptedException {
        if (transferred.contains(number)) {
            return DemoAnswer.REPLAYED;
        }
        bank.transfer(UUID.randomUUID().toString(), number, 1);
        transferred.add(number);
        return DemoAnswer.EXECUTED;
    }

    @Override
    public void close() {
        store.close();
    }
}
