/** What happened, append-only: the types of events, how they are made and read, and the chain of hashes over them. */
@NullMarked
package dev.semel.audit;

import org.jspecify.annotations.NullMarked;
