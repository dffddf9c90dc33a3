/** Who operates Semel: people, their roles, and how a request is authenticated as one of them. */
@NullMarked
package dev.semel.console.access;

import org.jspecify.annotations.NullMarked;
