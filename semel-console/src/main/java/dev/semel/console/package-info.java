/** The pages of the console, as a servlet. They use the API for operators and nothing else. */
@NullMarked
package dev.semel.console;

import org.jspecify.annotations.NullMarked;
