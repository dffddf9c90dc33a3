/**
 * Semel in the tests of a Spring Boot application: the filter and the engine in slices, requests and expectations for MockMvc, and
 * an empty ledger for each test.
 */
@NullMarked
package dev.semel.spring.test;

import org.jspecify.annotations.NullMarked;
