package dev.semel.spring.test.shop;

import dev.semel.spring.Idempotent;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
    private final OrderBook book;

    OrderController(OrderBook book) {
        this.book = book;
    }

    @PostMapping("/orders")
    Order place(@RequestBody Order order) {
        book.add(order);
        return order;
    }

    @PostMapping("/spanned")
    @Idempotent(level = Idempotent.Level.SPAN)
    Order placeInOneTransaction(@RequestBody Order order) {
        book.add(order);
        return order;
    }

    @PostMapping("/searches")
    @Idempotent(header = Idempotent.Header.OFF)
    String search() {
        return "none";
    }
}
