package dev.semel.cli;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Payments with Semel: each takes effect exactly once, despite duplicates and crashes. */
final class DemoSemelShop implements DemoShop {
    /** Short, so that the work of a killed process is soon taken over. */
    private static final Duration LEASE = Duration.ofSeconds(2);

    private static final Duration PATIENCE = Duration.ofMillis(250);

    private static final Policy POLICY = Policy.named("demo")
            .withMaxAttempts(1_000)
            .withExponentialBackoff(Duration.ofMillis(50), 2, Duration.ofSeconds(1))
            .withLease(LEASE)
            .build();

    private static final Operation.Atomic<DemoPayment, Integer> CHARGE =
            Operation.atomic("demo.charge", DemoPayment.class, Integer.class).withPolicy(POLICY.name());

    private static final Operation.Leased<DemoPayment, Integer> TRANSFER = Operation.leased(
                    "demo.transfer", DemoPayment.class, Integer.class)
            .withPolicy(POLICY.name())
            .asRepeatable();

    private final Semel semel;
    private final DemoTable table;
    private final Bank bank;

    private DemoSemelShop(Semel semel, DemoTable table, Bank bank) {
        this.semel = semel;
        this.table = table;
        this.bank = bank;
    }

    static DemoSemelShop open(String url, DemoTable table, Bank bank) {
        Semel semel = Semel.settings(url).withPolicy(POLICY).open();
        DemoSemelShop shop = new DemoSemelShop(semel, table, bank);
        semel.handle(TRANSFER, shop::transfer);
        return shop;
    }

    @Override
    public DemoAnswer pay(int number) {
        Call<DemoPayment> call =
                Call.of(tenant(table), key(number), DemoPayment.of(number)).withPatience(PATIENCE);
        try {
            Answer<Integer> answer = DemoPayment.isTransfer(number)
                    ? semel.run(TRANSFER, call, this::transfer)
                    : semel.run(CHARGE, call, this::charge);
            return word(answer);
        } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
            return DemoAnswer.NOT_NOW;
        }
    }

    private Integer charge(DemoPayment payment, AtomicContext tx) throws SQLException {
        table.insert(tx.connection(), payment);
        return payment.number();
    }

    private Integer transfer(DemoPayment payment, LeasedContext run) throws InterruptedException {
        bank.transfer(run.downstreamKey(), payment.number(), run.attempt());
        return payment.number();
    }

    /** The record of the payment in the ledger. */
    static RecordId record(DemoTable table, int number) {
        String operation = DemoPayment.isTransfer(number) ? TRANSFER.name() : CHARGE.name();
        return Identity.of(tenant(table), operation, key(number)).id();
    }

    @Override
    public void close() {
        semel.close();
    }

    private static Tenant tenant(DemoTable table) {
        return Tenant.of("demo-" + table.run());
    }

    private static Key key(int number) {
        return Key.of("payment-" + number);
    }

    private static DemoAnswer word(Answer<Integer> answer) {
        return answer.fold(new Answer.Cases<Integer, DemoAnswer>() {
            @Override
            public DemoAnswer executed(Answer.Executed<Integer> executed) {
                return DemoAnswer.EXECUTED;
            }

            @Override
            public DemoAnswer inProgress(Answer.InProgress<Integer> running) {
                return DemoAnswer.IN_PROGRESS;
            }

            @Override
            public DemoAnswer shadowed(Answer.Shadowed<Integer> shadowed) {
                return DemoAnswer.NOT_NOW;
            }

            @Override
            public DemoAnswer result(Answer<Integer> replayed, @Nullable Integer number) {
                return DemoAnswer.REPLAYED;
            }

            @Override
            public DemoAnswer other(Answer<Integer> other, Answer.Notice notice) {
                return DemoAnswer.NOT_NOW;
            }
        });
    }
}
