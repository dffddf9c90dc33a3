/**
 * What the engines share: it knows JDBC and the rules of the ledger, but no engine. Not for applications; its types are
 * public only because the engines are in other packages.
 *
 * <ul>
 *   <li>Rows: {@code Rows} has the columns of every query and reads them; {@code ReservationRule} decides what a reservation
 *       gets when its record is already there; {@code BatchParts} takes a failed batch apart; {@code NotAllMoved} rolls back
 *       a group of moves of which one was refused.
 *   <li>The handler's connection: {@code GuardedConnection} is what a handler sees. It asks {@code SqlRules} about each
 *       text, and the engine's {@code TransactionWatch} whether the transaction is still open. {@code SqlText} takes SQL
 *       apart by the engine's {@code SqlNotation}. {@code StatementCache} keeps statements for the next handler.
 *   <li>The schema and the store as a whole: {@code Schema} reads the versioned scripts, {@code FenceJump} moves the fences
 *       of a restored copy, {@code ClockFinding} is a line of {@code doctor}.
 * </ul>
 */
@NullMarked
package dev.semel.jdbc.shared;

import org.jspecify.annotations.NullMarked;
