package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean the handler of a channel on this node, from when the context has started until it is closed.
 *
 * <p>The method takes the payload, and may take {@link dev.semel.AtomicContext} or {@link dev.semel.LeasedContext}, whichever
 * its channel is, and {@link dev.semel.Tenant}. It returns nothing. In an atomic channel its {@code @Transactional} joins the
 * transaction in which the message completes.
 *
 * <p>The channel is the {@link dev.semel.Channel} bean of this name if there is one; declare it so where it has a lane or a
 * policy, and use the same bean to send. Otherwise it is made of what is said here and the payload's type.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface SemelChannel {
    /** The channel's name. */
    String value();

    /** How its messages run, where there is no bean of the channel. */
    Idempotent.Form form() default Idempotent.Form.ATOMIC;

    /** A policy of the catalogue or of the configuration, where there is no bean of the channel. */
    String policy() default "default";

    /** Handlers at once on this node; by default {@code semel.tuning.concurrency}. See {@link ChannelCapacity} for more. */
    int concurrency() default 0;
}
