/** What a person may do: forget a key, switch modes, adopt a restored store. Every action is audited or refused. */
@NullMarked
package dev.semel.operator;

import org.jspecify.annotations.NullMarked;
