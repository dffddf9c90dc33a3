/** What comes in from Slack, by HTTP and by Socket Mode, and what is shown there. */
@NullMarked
package dev.semel.examples.desk.slack;

import org.jspecify.annotations.NullMarked;
