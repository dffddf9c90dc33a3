/**
 * The simulator: several nodes of the real engine over one store, on a virtual clock, one actor at a time, with faults at
 * every call of the store. A run is decided by its seed alone.
 */
@NullMarked
package dev.semel.testkit.sim;

import org.jspecify.annotations.NullMarked;
