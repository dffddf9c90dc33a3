package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a bean method the onDead handler of an operation or channel: it is called when a message or call becomes a dead letter, in the
 * transaction of that dead letter. What it writes and sends is there exactly if the dead letter is, once for each death.
 *
 * <pre>
 * &#64;SemelOnDead("mail")
 * public void undeliverable(Death&lt;Mail&gt; death, AtomicContext tx) {
 *     tx.send(REVIEW, death.key("review"), new Review(death.record().id(), death.failure().reason()));
 * }
 * </pre>
 *
 * <p>The operation is an {@link Idempotent} method, a {@link SemelChannel} handler, or a bean of type {@link dev.semel.Channel} or
 * {@link dev.semel.Operation}. The method is void and takes, in any order, a {@link dev.semel.Death}, and if needed an
 * {@link dev.semel.AtomicContext} and a {@link dev.semel.Tenant}. The payload of an {@code @Idempotent} method is its argument; if it
 * has several, it is one record or map with their names.
 *
 * <p>If it throws, nothing is committed, and the death is tried again later.
 *
 * @see dev.semel.Semel#onDead(dev.semel.Operation, dev.semel.Death.Handler)
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(HandlerTypes.class)
public @interface SemelOnDead {
    /** The name of the operation or channel. */
    String value();
}
