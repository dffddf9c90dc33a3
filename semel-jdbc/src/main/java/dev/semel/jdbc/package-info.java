/**
 * The ledger on SQL databases. This module is the only place where SQL is written.
 *
 * <p>This package is what other modules use: {@link dev.semel.jdbc.ApplicationStore} opens the ledger in the database of an
 * application, whose transactions a {@link dev.semel.jdbc.Demarcation} begins and ends. Stores by URL are opened by
 * {@link dev.semel.store.Stores}.
 *
 * <p>Each engine has a package of its own, {@code postgres} and {@code sqlite}, on top of {@code shared}. An engine is found
 * by {@link java.util.ServiceLoader} as a {@link dev.semel.jdbc.JdbcStoreProvider}; nothing here names one, and no engine
 * knows another one. To add an engine: a package with its provider, its {@code V1.sql} and so on beside it in the resources,
 * a line in {@code META-INF/services}, and the store and engine contracts as its tests. {@code ArchitectureTest} holds these
 * borders.
 */
@NullMarked
package dev.semel.jdbc;

import org.jspecify.annotations.NullMarked;
