/** The servers that the filter is measured on: one that does one insert in a transaction, and the example. */
@NullMarked
package dev.semel.bench.servers;

import org.jspecify.annotations.NullMarked;
