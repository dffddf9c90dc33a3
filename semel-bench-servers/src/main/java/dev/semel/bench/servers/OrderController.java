package dev.semel.bench.servers;

import java.net.URI;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Orders by HTTP. */
@RestController
@ConditionalOnProperty(name = "bench.by-hand", matchIfMissing = true, havingValue = "no")
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping("/orders")
    ResponseEntity<Orders.Order> place(@RequestBody Orders.Draft draft) {
        Orders.Order placed = orders.place(draft);
        return ResponseEntity.created(URI.create("/orders/" + placed.id())).body(placed);
    }
}
