/** Projects, missions and assignments: each write changes one of them, at the version that the client has read. */
@NullMarked
package dev.semel.examples.planner.planning;

import org.jspecify.annotations.NullMarked;
