/**
 * The ports that a store implements, the rows that pass through them, and the group committer in front of them. Ports take
 * lists and return one outcome for each item, in order; what may follow what is decided above, and refused here.
 */
@NullMarked
package dev.semel.store;

import org.jspecify.annotations.NullMarked;
