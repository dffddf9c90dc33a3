/**
 * Checks from outside whether a running service keeps the contract of the {@code Idempotency-Key} header.
 */
@NullMarked
package dev.semel.conformance;

import org.jspecify.annotations.NullMarked;
