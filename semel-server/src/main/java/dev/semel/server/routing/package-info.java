/** From a source to its destinations: which webhooks go where, in the commit that takes them out of the source's channel. */
@NullMarked
package dev.semel.server.routing;

import org.jspecify.annotations.NullMarked;
