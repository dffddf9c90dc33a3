/**
 * How operators get in: by a secret of the file, a token of an identity provider, or, until one of these is configured, a one-time
 * secret on this machine; the sessions that they exchange these for; and what the audit says about it.
 */
@NullMarked
package dev.semel.server.session;

import org.jspecify.annotations.NullMarked;
