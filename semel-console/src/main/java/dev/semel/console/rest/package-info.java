/**
 * What the APIs of the server have in common: the table of their endpoints, by which requests are dispatched and documented, the
 * problems that they answer, and the JSON that they read.
 */
@NullMarked
package dev.semel.console.rest;

import org.jspecify.annotations.NullMarked;
