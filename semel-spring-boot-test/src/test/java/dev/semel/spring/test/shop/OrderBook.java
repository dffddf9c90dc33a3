package dev.semel.spring.test.shop;

/** Where the shop keeps its orders. */
interface OrderBook {
    void add(Order order);
}
