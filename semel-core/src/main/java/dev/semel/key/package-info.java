/** Decides whether two calls are the same: record identities, key strategies, canonical JSON and fingerprints. */
@NullMarked
package dev.semel.key;

import org.jspecify.annotations.NullMarked;
