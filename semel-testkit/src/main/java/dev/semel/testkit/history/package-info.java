/** What happened in a run, simulated or real, written down by everyone who took part, and judged afterwards by one program. */
@NullMarked
package dev.semel.testkit.history;

import org.jspecify.annotations.NullMarked;
