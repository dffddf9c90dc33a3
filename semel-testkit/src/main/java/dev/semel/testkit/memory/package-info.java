/**
 * The store in the memory of one process ({@code memory:}), for tests of handlers, of the engine and of other stores. It passes the
 * same suites as the durable stores.
 */
@NullMarked
package dev.semel.testkit.memory;

import org.jspecify.annotations.NullMarked;
