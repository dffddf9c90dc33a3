/**
 * Middleware between a helpdesk and its customers: a webhook comes in, an atomic channel decides, and replies, tags and assignments go out
 * once. Start with {@link dev.semel.examples.helpdesk.Middleware}.
 */
@NullMarked
package dev.semel.examples.helpdesk;

import org.jspecify.annotations.NullMarked;
