package dev.semel.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean take effect once for each key: the first call runs it, every other one gets the same result, also
 * in another process and after a restart. Like every advice of Spring it acts on calls that come from outside the bean.
 *
 * <p>On a controller's method that maps requests, or on a controller for all of them, it needs no name and no key: the client
 * sends the key in the header {@code Idempotency-Key}, and the filter answers repetitions. Then {@link #header}, {@link #level},
 * {@link #policy} and {@link #patience} say how.
 *
 * <p>Expressions are SpEL; parameters are known by name ({@code #order.id}) and by place ({@code #p0}), beans by
 * {@code @name}.
 *
 * <p>The first caller sees the method's own result or exception. A caller who gets neither, because the same call is still
 * running, the key was used with another payload, or it failed for good before, sees
 * {@link dev.semel.SemelException.NoResult}, which carries the answer. So does a caller while the operation is in SHADOW: nothing
 * took effect.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Idempotent {
    /** The operation's name: part of every record's identity, so renaming it forgets its records. */
    String value() default "";

    /** What makes two calls the same: text, or a {@link dev.semel.Key}. */
    String key() default "";

    /** What must be the same in both, or the second is a conflict; all arguments by default. */
    String payload() default "";

    /** Whose work it is; by default what the {@link TenantResolver} says. */
    String tenant() default "";

    /** A policy of the catalogue or of the configuration. */
    String policy() default "default";

    /** How it runs. */
    Form form() default Form.ATOMIC;

    /**
     * Whether an interrupted leased run may be run again by itself. If not, it becomes UNKNOWN and waits for its reconciler or
     * a person.
     */
    boolean repeatable() default false;

    /** What happens while another call of the same record runs. */
    WhileRunning whileRunning() default WhileRunning.WAIT;

    /** How long to wait, such as {@code 2s}; by default {@code semel.tuning.patience}. */
    String patience() default "";

    /** For a controller: whether a request needs a key. */
    Header header() default Header.CONFIGURED;

    /** For a controller: what is promised of its effect and its answer. */
    Level level() default Level.CONFIGURED;

    /** Whether a request needs the header {@code Idempotency-Key}. */
    enum Header {
        /** As {@code semel.http.keys} says; an annotated method is among those that need one. */
        CONFIGURED,
        /** Without one it is refused. */
        REQUIRED,
        /** Without one it passes untouched. */
        OPTIONAL,
        /** It passes untouched, key or not. */
        OFF
    }

    /** What is promised of a request: see {@code dev.semel.http.Level}. */
    enum Level {
        /** As {@code semel.http.level} says. */
        CONFIGURED,
        /** One transaction holds the effect and the answer. */
        SPAN,
        /** The transaction of the effect says that it was committed; a crash may lose the answer, never repeat the effect. */
        MARKER,
        /** Nothing ties the effect to the ledger; a crash leaves it unknown. */
        PLAIN
    }

    /** How a method runs. */
    enum Form {
        /**
         * The method writes to the ledger's own database and touches nothing else: its writes, the record and the result commit
         * in one transaction, which the method's {@code @Transactional} joins.
         */
        ATOMIC,
        /** The method touches the outside world: it is granted first, runs under a lease, and is finished after. */
        LEASED
    }

    /** What happens while another call of the same record runs. */
    enum WhileRunning {
        /** Wait for its result, as long as the patience. In a transaction of the caller's nobody waits. */
        WAIT,
        /** Refuse at once. */
        REJECT
    }
}
