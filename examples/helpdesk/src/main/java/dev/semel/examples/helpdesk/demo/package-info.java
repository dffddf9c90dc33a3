/** A scripted story with a stand-in for the helpdesk: {@code ./semel example helpdesk}. */
@NullMarked
package dev.semel.examples.helpdesk.demo;

import org.jspecify.annotations.NullMarked;
