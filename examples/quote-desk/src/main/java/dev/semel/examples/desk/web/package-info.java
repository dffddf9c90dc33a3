/** Calls other services by HTTP. */
@NullMarked
package dev.semel.examples.desk.web;

import org.jspecify.annotations.NullMarked;
