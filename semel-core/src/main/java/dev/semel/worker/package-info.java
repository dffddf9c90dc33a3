/** What runs without a caller: sweeping expired leases, asking reconcilers, purging, sealing, and the threads for it. */
@NullMarked
package dev.semel.worker;

import org.jspecify.annotations.NullMarked;
