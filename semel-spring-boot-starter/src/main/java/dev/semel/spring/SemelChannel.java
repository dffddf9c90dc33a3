package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a bean method the handler of a channel on this node, from the start of the context until its close.
 *
 * <p>The method has a payload parameter, and may have an {@link dev.semel.AtomicContext} (atomic channel) or a
 * {@link dev.semel.LeasedContext} (leased channel), and a {@link dev.semel.Tenant}, in any order. The contexts can be injected
 * into the bean as well. It returns void. In an atomic channel its
 * {@code @Transactional} joins the transaction that completes the message.
 *
 * <p>The channel is the {@link dev.semel.Channel} bean of this name if there is one. Declare one if the channel has a lane or a
 * policy, and use the same bean to send. Otherwise the annotation and the payload type define the channel.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(HandlerTypes.class)
public @interface SemelChannel {
    /** The channel's name. */
    String value();

    /** Atomic or leased, where there is no channel bean. */
    Idempotent.Form form() default Idempotent.Form.ATOMIC;

    /** The name of a policy, where there is no channel bean. */
    String policy() default "default";

    /**
     * Whether an interrupted delivery of a leased channel may be repeated automatically, where there is no channel bean. If not, its record
     * becomes UNKNOWN and waits for its reconciler or a person. True by default, because nobody waits for a message;
     * {@link Idempotent#repeatable} is false by default.
     */
    boolean repeatable() default true;

    /** Concurrent handlers on this node; by default {@code semel.tuning.concurrency}. See {@link ChannelCapacity} for more. */
    int concurrency() default 0;
}
