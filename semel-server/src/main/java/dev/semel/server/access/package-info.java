/**
 * Who calls the server: clients of the API by bearer tokens, each of one tenant and with its scopes; operators and their roles; and the
 * limit for failed attempts.
 */
@NullMarked
package dev.semel.server.access;

import org.jspecify.annotations.NullMarked;
