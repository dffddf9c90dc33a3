/**
 * The ledger on PostgreSQL. Start with {@code PostgresStore}, which puts the parts together, and {@code V1.sql} in the
 * resources of this package; then read along a call.
 *
 * <ol>
 *   <li>Opening: {@code PostgresProvider}, {@code PostgresUrl}, {@code PostgresPool} (with {@code PostgresSockets} and
 *       {@code PostgresPooler}), {@code PostgresInstaller} (schema and epoch).
 *   <li>Connections: {@code PostgresSessions} runs the ledger's own transactions and turns errors into answers
 *       ({@code PostgresErrors}); {@code PostgresClock} is the store's time. {@code PostgresSql}, {@code PostgresBinder} and
 *       {@code PostgresEvents} are the pieces of which every statement is made.
 *   <li>Grants: {@code PostgresLedger} is the port. A reservation goes through {@code PostgresReserve}, and its SQL is in
 *       {@code PostgresGrants} and {@code PostgresSingleGrant}.
 *   <li>Moves: {@code PostgresMoves} has the SQL of a batch; {@code PostgresSingleMove} and {@code PostgresUniformMoves} are
 *       its faster forms.
 *   <li>Atomic calls: {@code PostgresTransactions} begins, {@code PostgresTx} is one transaction, {@code PostgresLookups}
 *       locks and looks up, {@code PostgresRecordWrites} writes ({@code PostgresFirstInsert} and
 *       {@code PostgresUniformBatch} are its faster forms), {@code PostgresCommits} commits and finds out about a lost
 *       reply. {@code PostgresSameTransaction}, {@code PostgresTransactionWatch} and {@code PostgresSqlRules} notice a
 *       handler that ends the transaction.
 *   <li>Channels: {@code PostgresQueue} is the port. Sends are in {@code PostgresEnqueue} and
 *       {@code PostgresUniformEnqueue}. A claim is {@code PostgresClaim}; its SQL is in {@code PostgresUnorderedClaim} and,
 *       for lanes, {@code PostgresLaneClaim}. {@code PostgresTenants} picks whose turn it is, {@code PostgresClaimHints}
 *       remembers it, {@code PostgresBudget} limits retries, {@code PostgresLanes} orders lanes, {@code PostgresSignals}
 *       wakes workers.
 *   <li>The rest: {@code PostgresAuditLog}, {@code PostgresSwitchboard} with {@code PostgresModesLock},
 *       {@code PostgresInspection}.
 * </ol>
 */
@NullMarked
package dev.semel.jdbc.postgres;

import org.jspecify.annotations.NullMarked;
