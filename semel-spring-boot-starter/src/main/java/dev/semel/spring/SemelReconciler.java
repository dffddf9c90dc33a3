package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a bean method the reconciler of a leased operation or channel: it is called about a run that was interrupted and is UNKNOWN,
 * asks the outside world whether that run took effect, and returns the verdict. It never repeats the effect itself.
 *
 * <pre>
 * &#64;SemelReconciler("refund")
 * public Verdict&lt;RefundId&gt; lookUp(Refund refund, Reconciler.Case interrupted) {
 *     return provider.find(interrupted.downstreamKey())
 *             .map(Verdict::tookEffect)
 *             .orElseGet(() -&gt; Verdict.stillUnknown("the provider does not know the refund yet"));
 * }
 * </pre>
 *
 * <p>The operation is a leased {@link Idempotent} method, a leased {@link SemelChannel} handler or {@link dev.semel.Channel} bean, or
 * an {@link dev.semel.Operation.Leased} bean. The reconciler takes, in any order, the payload, a {@link dev.semel.Reconciler.Case} and
 * a {@link dev.semel.Tenant}, as far as it needs them. The payload of an {@code @Idempotent} method is its argument; if it has several,
 * the reconciler takes the same ones in the same order, or one record or map with their names. It returns
 * {@link dev.semel.Reconciler.Verdict} with the result of the operation, or with {@code Void} for a channel.
 *
 * <p>An exception leaves the record UNKNOWN, and the reconciler is called again later. {@code semel.expert.reconciler-timeout} limits
 * one call.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(HandlerTypes.class)
public @interface SemelReconciler {
    /** The name of the operation or channel. */
    String value();
}
