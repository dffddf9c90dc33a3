package shop;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A service that charges an order twice, and finds that it was charged once. */
public final class Shop {
    record Order(String id, long cents) {}

    record Receipt(String order) {}

    private static final Operation.Atomic<Order, Receipt> CHARGE =
            Operation.atomic("charge", Order.class, Receipt.class);

    private Shop() {}

    /** Prints what became of two equal calls. */
    public static void main(String[] args) throws SQLException {
        Order order = new Order("o-1", 1200);
        Call<Order> call = Call.of(Tenant.of("acme"), Key.of(order.id()), order);
        try (Semel semel = Semel.open("sqlite:" + System.getProperty("shop.ledger"))) {
            int executed = 0;
            int replayed = 0;
            for (int i = 0; i < 2; i++) {
                Answer<Receipt> answer = semel.run(CHARGE, call, (charged, tx) -> {
                    try (PreparedStatement statement =
                            tx.connection().prepareStatement("CREATE TABLE payment AS SELECT 1 AS id")) {
                        statement.execute();
                    }
                    return new Receipt(charged.id());
                });
                executed += answer instanceof Answer.Executed ? 1 : 0;
                replayed += answer instanceof Answer.Replayed ? 1 : 0;
            }
            System.out.println("executed " + executed + ", replayed " + replayed);
        }
    }
}
