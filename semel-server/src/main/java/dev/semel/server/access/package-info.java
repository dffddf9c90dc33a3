/** Who calls the server's API: bearer tokens, each of one tenant and with its scopes, and the limit for failed attempts. */
@NullMarked
package dev.semel.server.access;

import org.jspecify.annotations.NullMarked;
