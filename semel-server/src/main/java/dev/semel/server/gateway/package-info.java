/**
 * The gateway: passes requests on to configured HTTP APIs, behind the Idempotency-Key filter. An API is reached only at its configured
 * scheme, host, port and base path.
 */
@NullMarked
package dev.semel.server.gateway;

import org.jspecify.annotations.NullMarked;
