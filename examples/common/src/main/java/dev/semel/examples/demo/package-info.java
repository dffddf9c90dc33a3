/** What the demos and tests of the examples share: stand-ins for other services, processes that are halted, and a look into the ledger. */
@NullMarked
package dev.semel.examples.demo;

import org.jspecify.annotations.NullMarked;
