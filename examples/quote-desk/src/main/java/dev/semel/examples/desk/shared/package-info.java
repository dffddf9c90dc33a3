/** The desk's database, and who asked for something. */
@NullMarked
package dev.semel.examples.desk.shared;

import org.jspecify.annotations.NullMarked;
