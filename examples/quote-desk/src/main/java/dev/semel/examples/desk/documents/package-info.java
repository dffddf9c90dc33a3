/** Renders quotes as PDF and uploads them. */
@NullMarked
package dev.semel.examples.desk.documents;

import org.jspecify.annotations.NullMarked;
