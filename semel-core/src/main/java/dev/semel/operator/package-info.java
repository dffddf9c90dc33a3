/** The operator's actions: forget a key, switch modes, adopt a restored store. Every action is audited or rejected. */
@NullMarked
package dev.semel.operator;

import org.jspecify.annotations.NullMarked;
