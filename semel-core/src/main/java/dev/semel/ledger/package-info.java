/** The state machine: every transition of a record, in one place. */
@NullMarked
package dev.semel.ledger;

import org.jspecify.annotations.NullMarked;
