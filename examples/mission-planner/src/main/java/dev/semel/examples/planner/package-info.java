/**
 * Plans missions for several organisations. Every write takes effect once, however often its client sends it, and what follows
 * from it happens later, once, by channels.
 */
@NullMarked
package dev.semel.examples.planner;

import org.jspecify.annotations.NullMarked;
