/**
 * Who calls the server: clients of the API by bearer tokens, each of one tenant and with its scopes; the operators of the configuration file; and the
 * limit for failed attempts.
 */
@NullMarked
package dev.semel.server.access;

import org.jspecify.annotations.NullMarked;
