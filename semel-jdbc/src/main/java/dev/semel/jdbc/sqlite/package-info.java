/**
 * The ledger in one SQLite file. Start with {@code SqliteStore}, which puts the parts together, {@code V1.sql} in the
 * resources of this package, and the essay of {@code SqliteWriter}: one writer that callers pass from hand to hand, one
 * commit for all of them.
 *
 * <ol>
 *   <li>Opening: {@code SqliteProvider}, {@code SqliteFile}, {@code SqliteSchema} (schema and epoch) with
 *       {@code SqliteSidecar}, the file that tells a restored copy; {@code SqliteConnections} for an application's own data
 *       source.
 *   <li>Access: {@code SqliteAccess} writes through {@code SqliteWriter} and {@code WriterHandover}, and reads through
 *       {@code SqliteReaders}. {@code SqliteWriteConnection} is the write connection with its transactions and fences
 *       ({@code SqliteFences}), {@code SqliteSession} a connection with its statements, {@code SqliteErrors} what a result
 *       code means. {@code SqlitePatience} waits for other processes, {@code SqliteBackground} slows down what nobody waits
 *       for, {@code SqliteClock} is the store's time.
 *   <li>Grants and moves: {@code SqliteLedger} is the port; its SQL is in {@code SqliteRecords}.
 *   <li>Atomic calls: {@code SqliteTransactions}, {@code SqliteTx} on the writer and {@code SqliteJoined} on a connection of
 *       the caller's. {@code SqliteSqlRules} judges a handler's SQL, {@code SqliteStatementCache} keeps its statements.
 *   <li>Channels: {@code SqliteQueue} is the port. {@code SqliteEnqueue} sends, {@code SqliteLanes} orders lanes;
 *       {@code SqliteClaimPreview} and {@code SqliteClaim} have the SQL of a claim, {@code SqliteBudget} limits retries.
 *   <li>The rest: {@code SqliteAuditLog}, {@code SqliteSwitchboard}, {@code SqliteInspection}.
 * </ol>
 */
@NullMarked
package dev.semel.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
