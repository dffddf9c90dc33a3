/** The clock: the only place that reads the time, sleeps or blocks, so that a test can hold all of it in its hand. */
@NullMarked
package dev.semel.time;

import org.jspecify.annotations.NullMarked;
