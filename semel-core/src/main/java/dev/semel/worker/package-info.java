/**
 * Work without a caller: claiming and delivering messages, sweeping expired leases, asking reconcilers, purging, and
 * the threads for it.
 */
@NullMarked
package dev.semel.worker;

import org.jspecify.annotations.NullMarked;
