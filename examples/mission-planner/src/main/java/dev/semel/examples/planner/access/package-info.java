/** Authentication: organisation, person and rights, only from the bearer token. */
@NullMarked
package dev.semel.examples.planner.access;

import org.jspecify.annotations.NullMarked;
