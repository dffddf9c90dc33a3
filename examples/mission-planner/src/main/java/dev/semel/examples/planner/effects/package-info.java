/** What follows from a write, later: the search index, notifications and the dashboard. */
@NullMarked
package dev.semel.examples.planner.effects;

import org.jspecify.annotations.NullMarked;
