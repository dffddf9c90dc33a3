/**
 * What the Idempotency-Key filter and the webhook ingress have in common: the ids of a request, and the form of a problem. Not exported.
 */
@NullMarked
package dev.semel.http.shared;

import org.jspecify.annotations.NullMarked;
