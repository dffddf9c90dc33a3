/** The server's configuration: what its YAML file says, checked as a whole. */
@NullMarked
package dev.semel.server.config;

import org.jspecify.annotations.NullMarked;
