/** The append-only audit log: the types of events, how they are written and read, and the chain of hashes over them. */
@NullMarked
package dev.semel.audit;

import org.jspecify.annotations.NullMarked;
