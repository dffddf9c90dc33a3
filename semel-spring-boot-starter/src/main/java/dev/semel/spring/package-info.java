/**
 * Semel in a Spring Boot application: the ledger in its data source, joined transactions, idempotent methods by annotation, and
 * channels that start and drain with the context. Only wiring: the engine has the rules.
 */
@NullMarked
package dev.semel.spring;

import org.jspecify.annotations.NullMarked;
