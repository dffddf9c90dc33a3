/**
 * Semel in a Spring Boot application: the ledger in its data source, its transactions joined, its methods made run-once by an
 * annotation, its workers started and drained with the context. Wiring only: the rules are the engine's.
 */
@NullMarked
package dev.semel.spring;

import org.jspecify.annotations.NullMarked;
