/**
 * Tests a store and everything built on one: the store contract, real private servers, faults, and the checker of
 * histories.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
