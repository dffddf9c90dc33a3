/** Writes quotes back to the CRM. */
@NullMarked
package dev.semel.examples.desk.crm;

import org.jspecify.annotations.NullMarked;
