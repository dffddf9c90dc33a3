/** A scripted conversation with stand-ins for Slack, the CRM and the model. */
@NullMarked
package dev.semel.examples.desk.demo;

import org.jspecify.annotations.NullMarked;
