/**
 * What proves a store and everything built on one: the store contract, real servers of one's own, faults, and the checker
 * that judges what happened.
 */
@NullMarked
package dev.semel.testkit;

import org.jspecify.annotations.NullMarked;
