package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Makes a bean method take effect once for each key: the first call runs it, every other call gets the same result, also in
 * another process and after a restart. Like all Spring advice it applies to calls from outside the bean.
 *
 * <p>On a request mapping, or on a controller for all of its mappings, it needs no name and no key: the client sends the key in
 * the header {@code Idempotency-Key}, and the filter replays the response to retries. {@link #header}, {@link #level},
 * {@link #policy}, {@link #patience} and {@link #labels} configure the route.
 *
 * <p>A method that needs the context of its run injects {@link dev.semel.AtomicContext} or {@link dev.semel.LeasedContext} into its
 * bean, or takes it as a parameter, which is not part of the payload and which Semel fills in.
 *
 * <p>Expressions are SpEL. They refer to parameters by name ({@code #order.id}) or position ({@code #p0}), and to beans by
 * {@code @name}.
 *
 * <p>The first caller gets the method's own result or exception. A caller gets {@link dev.semel.SemelException.NoResult} with the
 * answer when the same call is still running, when the key was used with another payload, when the call failed permanently before,
 * or while the operation is in SHADOW, where nothing takes effect.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(HandlerTypes.class)
public @interface Idempotent {
    /** The operation name. It is part of the identity of every record: after a rename the old records are not found. */
    String value() default "";

    /**
     * The key of the call: text, a {@link dev.semel.Key}, or a {@link dev.semel.Key.Strategy}, such as a bean ({@code @orderKey}), which is
     * given the payload.
     */
    String key() default "";

    /** The payload. A second call with the same key and another payload is a conflict. By default all arguments. */
    String payload() default "";

    /** The tenant; by default from the {@link TenantResolver}. */
    String tenant() default "";

    /** The name of a policy. */
    String policy() default "default";

    /** Whether the method is atomic or leased. */
    Form form() default Form.ATOMIC;

    /**
     * Whether an interrupted leased run may be repeated automatically: every effect of the method checks the key it is given. If not, the
     * record becomes UNKNOWN and waits for its reconciler or a person. A method is also repeatable if its policy is.
     */
    boolean repeatable() default false;

    /** What a call does while another call with the same key runs. */
    WhileRunning whileRunning() default WhileRunning.WAIT;

    /** How long to wait, such as {@code 2s}; by default {@code semel.tuning.patience}. */
    String patience() default "";

    /**
     * The groups it belongs to: modes can be set for all operations, channels and routes with one label. No part of an identity; each 1
     * to 120 characters.
     */
    String[] labels() default {};

    /** For a controller: whether a request needs a key. */
    Header header() default Header.CONFIGURED;

    /** For a controller: the guarantee for its effect and its response. */
    Level level() default Level.CONFIGURED;

    /** Whether a request needs the header {@code Idempotency-Key}. */
    enum Header {
        /** As in {@code semel.http.keys}; with {@code annotated} an annotated method needs a key. */
        CONFIGURED,
        /** A request without a key is rejected. */
        REQUIRED,
        /** A request without a key passes untouched. */
        OPTIONAL,
        /** Every request passes untouched. */
        OFF
    }

    /** The guarantee for a request: see {@code dev.semel.http.Level}. */
    enum Level {
        /** As in {@code semel.http.level}. */
        CONFIGURED,
        /** The effect and the response commit in one transaction. */
        SPAN,
        /** The handler's transaction also writes a mark. A crash may lose the response but never repeats the effect. */
        MARKER,
        /** The effect is independent of the ledger. After a crash its outcome is unknown. */
        PLAIN
    }

    /** Atomic or leased. */
    enum Form {
        /**
         * The method writes only to the ledger's database: its writes, the record and the result commit in one transaction, which
         * the method's {@code @Transactional} joins.
         */
        ATOMIC,
        /** The method has effects outside the database: it runs under a lease, and its result is recorded afterwards. */
        LEASED
    }

    /** What a call does while another call with the same key runs. */
    enum WhileRunning {
        /** Wait for its result, up to the patience. Inside a transaction of the caller it does not wait. */
        WAIT,
        /** Reject at once. */
        REJECT
    }
}
