/** One run of one record: atomic, leased, in batches, inside a caller's transaction; steps and single-flight. */
@NullMarked
package dev.semel.execution;

import org.jspecify.annotations.NullMarked;
