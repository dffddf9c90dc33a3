/** Faults on purpose: stores that lose replies, networks that cut, stall and drop. For tests only. */
@NullMarked
package dev.semel.testkit.fault;

import org.jspecify.annotations.NullMarked;
