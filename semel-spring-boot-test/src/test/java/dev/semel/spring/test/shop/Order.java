package dev.semel.spring.test.shop;

/** An order of the shop. */
record Order(String id, int amount) {}
