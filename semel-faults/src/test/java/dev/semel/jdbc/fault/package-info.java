/** Real stores and real processes under real faults, judged by the history checker. */
@NullMarked
package dev.semel.jdbc.fault;

import org.jspecify.annotations.NullMarked;
