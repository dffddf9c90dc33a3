/** Everything that a call is promised, as tests of the engine on any store. */
@NullMarked
package dev.semel.testkit.engine;

import org.jspecify.annotations.NullMarked;
