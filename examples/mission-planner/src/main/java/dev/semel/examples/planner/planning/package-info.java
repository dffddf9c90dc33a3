/** Projects, missions and assignments: each write changes one of them, at the version that the caller has seen. */
@NullMarked
package dev.semel.examples.planner.planning;

import org.jspecify.annotations.NullMarked;
