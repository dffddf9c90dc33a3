/** Server-sent events: streams that one thread feeds for all clients, with limits for people and for slow readers. */
@NullMarked
package dev.semel.console.live;

import org.jspecify.annotations.NullMarked;
