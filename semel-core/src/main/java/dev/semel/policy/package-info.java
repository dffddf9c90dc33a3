/**
 * When to try again and when to stop: backoff, jitter, Retry-After, classification of failures, retention, and the named
 * catalogue. Pure functions: time and randomness are handed in.
 */
@NullMarked
package dev.semel.policy;

import org.jspecify.annotations.NullMarked;
