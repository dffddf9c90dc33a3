package dev.semel.bench.servers;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A service of one POST, which does one insert in a transaction. */
@SpringBootApplication
class OrderService {}
