/**
 * Measures Semel beside the same work without it, in one run on one machine. Figures are ratios first: the machine changes, a
 * ratio of two things measured in turn hardly does.
 */
@NullMarked
package dev.semel.bench;

import org.jspecify.annotations.NullMarked;
