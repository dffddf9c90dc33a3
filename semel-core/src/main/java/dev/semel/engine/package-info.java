/** Puts the rooms together behind the front door. */
@NullMarked
package dev.semel.engine;

import org.jspecify.annotations.NullMarked;
