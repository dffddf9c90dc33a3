/** The Idempotency-Key contract for Jakarta Servlet, and its client. All knowledge of HTTP statuses is in this package. */
@NullMarked
package dev.semel.http;

import org.jspecify.annotations.NullMarked;
