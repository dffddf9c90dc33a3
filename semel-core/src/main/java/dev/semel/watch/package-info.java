/**
 * Who wants to know what happens: the listener that all rooms above tell, one call as it is followed, its log lines, and the
 * listener that counts with Micrometer. Raw keys never come here.
 */
@NullMarked
package dev.semel.watch;

import org.jspecify.annotations.NullMarked;
