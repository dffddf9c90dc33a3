package dev.semel.spring.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The application under test. */
@SpringBootApplication
class Shop {}
