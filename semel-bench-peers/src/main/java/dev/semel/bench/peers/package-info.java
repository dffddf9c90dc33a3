/** Other libraries that keep work in PostgreSQL and run it later, each set up as its documentation advises for throughput. */
@NullMarked
package dev.semel.bench.peers;

import org.jspecify.annotations.NullMarked;
