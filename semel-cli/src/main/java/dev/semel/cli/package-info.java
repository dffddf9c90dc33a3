/** The command line: one class for each command. The only place that prints and exits. */
@NullMarked
package dev.semel.cli;

import org.jspecify.annotations.NullMarked;
