/** The history of a run, simulated or real: written by all participants, and checked afterwards by one program. */
@NullMarked
package dev.semel.testkit.history;

import org.jspecify.annotations.NullMarked;
