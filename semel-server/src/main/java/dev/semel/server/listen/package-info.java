/** How the listener takes requests in: slow bodies and readers, and many connections, cost no thread. */
@NullMarked
package dev.semel.server.listen;

import org.jspecify.annotations.NullMarked;
