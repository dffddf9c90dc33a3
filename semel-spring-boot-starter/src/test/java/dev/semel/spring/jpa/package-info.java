/** A service of a test that keeps what it does by JPA. */
@NullMarked
package dev.semel.spring.jpa;

import org.jspecify.annotations.NullMarked;
