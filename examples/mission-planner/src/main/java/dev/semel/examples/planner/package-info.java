/**
 * Plans missions for several organisations. Every write takes effect once, however often its client sends it. Channels run its
 * asynchronous effects, also once.
 */
@NullMarked
package dev.semel.examples.planner;

import org.jspecify.annotations.NullMarked;
