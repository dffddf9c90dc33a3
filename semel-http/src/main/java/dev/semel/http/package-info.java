/** The Idempotency-Key contract for Jakarta Servlet, and its client side. Everything that knows HTTP statuses lives here. */
@NullMarked
package dev.semel.http;

import org.jspecify.annotations.NullMarked;
