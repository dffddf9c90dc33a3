/** Who calls: organisation, person and rights, from the bearer token and from nothing else that a client sends. */
@NullMarked
package dev.semel.examples.planner.access;

import org.jspecify.annotations.NullMarked;
