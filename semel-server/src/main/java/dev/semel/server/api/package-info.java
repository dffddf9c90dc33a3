/**
 * The HTTP API for programs in any language: operations that run once, and messages. JSON under {@code /api/v1}; every request carries
 * a bearer token. No run is kept in the server's memory.
 */
@NullMarked
package dev.semel.server.api;

import org.jspecify.annotations.NullMarked;
