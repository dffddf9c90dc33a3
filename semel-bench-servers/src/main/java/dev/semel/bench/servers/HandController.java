package dev.semel.bench.servers;

import java.net.URI;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.ObjectMapper;

/** Orders by HTTP, with the statements of a level written by hand. */
@RestController
@ConditionalOnProperty("bench.by-hand")
class HandController {
    private final Orders orders;
    private final HandLedger ledger;
    private final ObjectMapper json;
    private final TransactionOperations transactions;
    private final boolean span;

    HandController(
            Orders orders,
            HandLedger ledger,
            ObjectMapper json,
            TransactionOperations transactions,
            @Value("${bench.by-hand}") String level) {
        this.orders = orders;
        this.ledger = ledger;
        this.json = json;
        this.transactions = transactions;
        this.span = level.equals("span");
    }

    private record Placed(Orders.Order order, byte[] answer) {}

    /** By the converters that the bare service uses, too; what is compared and kept are the same values written once more. */
    @PostMapping("/orders")
    ResponseEntity<Orders.Order> place(@RequestHeader("Idempotency-Key") String key, @RequestBody Orders.Draft draft) {
        HandLedger.HandRequest asked = HandLedger.HandRequest.of(key, json.writeValueAsBytes(draft));
        Placed placed = span ? spanned(asked, draft) : marked(asked, draft);
        return ResponseEntity.created(URI.create("/orders/" + placed.order.id()))
                .body(placed.order);
    }

    private Placed spanned(HandLedger.HandRequest asked, Orders.Draft draft) {
        return transactions.execute(status -> {
            long fence = ledger.open(asked);
            Placed placed = placed(draft);
            ledger.write(asked, fence, placed.answer);
            return placed;
        });
    }

    private Placed marked(HandLedger.HandRequest asked, Orders.Draft draft) {
        long fence = ledger.reserve(asked);
        Placed placed = transactions.execute(status -> {
            Placed inside = placed(draft);
            ledger.mark(asked, fence);
            return inside;
        });
        ledger.answer(asked, fence, placed.answer);
        return placed;
    }

    private Placed placed(Orders.Draft draft) {
        Orders.Order order = orders.place(draft);
        return new Placed(order, json.writeValueAsBytes(order));
    }
}
