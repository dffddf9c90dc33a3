/** Asynchronous effects of a write: the search index, notifications and the dashboard. */
@NullMarked
package dev.semel.examples.planner.effects;

import org.jspecify.annotations.NullMarked;
