/** Turns free text into a quote, by a model. */
@NullMarked
package dev.semel.examples.desk.extraction;

import org.jspecify.annotations.NullMarked;
