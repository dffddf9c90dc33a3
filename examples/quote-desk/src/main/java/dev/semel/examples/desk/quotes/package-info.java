/** The business: quotes, prices, approvals. Every change is an atomic operation. */
@NullMarked
package dev.semel.examples.desk.quotes;

import org.jspecify.annotations.NullMarked;
