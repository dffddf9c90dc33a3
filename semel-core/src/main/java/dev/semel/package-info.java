/**
 * The front door: the words everyone speaks. A newcomer needs nothing else; no type here knows the rooms above it, and the
 * engine is found by {@link java.util.ServiceLoader}.
 */
@NullMarked
package dev.semel;

import org.jspecify.annotations.NullMarked;
