/**
 * The ledger on SQL databases: SQLite in one file, and PostgreSQL. The only place where SQL is written. Both engines use the
 * same columns in the same order ({@code Rows}) and the same rules for what may be granted ({@code ReservationRule}); everything else
 * is each engine's own.
 */
@NullMarked
package dev.semel.jdbc;

import org.jspecify.annotations.NullMarked;
