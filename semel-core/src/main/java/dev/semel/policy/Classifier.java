package dev.semel.policy;

import dev.semel.Answer;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Policy;
import dev.semel.Policy.Rule;
import dev.semel.SemelException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Classifies a handler's exception or a downstream's response.
 *
 * <ol>
 *   <li>Wrappers that say nothing themselves (such as {@code ExecutionException}) are looked through.
 *   <li>{@link Failure.Thrown} carries its category, which decides on a retry, unless the policy has a rule for
 *       {@code Failure.Thrown} itself. {@link SemelException.NoResult} is judged by the answer it carries, and
 *       {@link SemelException.RetryFailed} by its failure.
 *   <li>Otherwise the most specific matching class decides, among the policy's rules and the built-in ones. Where two
 *       match and neither is the more specific (two interfaces, or a class and an interface), "do not retry" wins.
 *   <li>An exception without a matching rule is {@code unknown}: retried, bounded by the policy, and never stored. An
 *       {@code Error} is a bug: not retried unless a more specific rule says so, as one does of a node without
 *       memory; never stored, under any rule.
 * </ol>
 */
public final class Classifier {
    private static final Set<Class<?>> WRAPPERS = Set.of(
            ExecutionException.class,
            CompletionException.class,
            UndeclaredThrowableException.class,
            InvocationTargetException.class,
            UncheckedIOException.class);
    private static final int DEEPEST = 32;
    private static final Comparator<Map.Entry<Class<?>, Rule>> DO_NOT_RETRY_FIRST = Comparator.comparing(
                    (Map.Entry<Class<?>, Rule> e) -> e.getValue().retry())
            .thenComparing(e -> e.getKey().getName());

    private static final Logger LOG = LoggerFactory.getLogger(Classifier.class);

    private Classifier() {}

    public static Judgement judge(Policy policy, Throwable thrown) {
        Throwable cause = unwrap(thrown);
        Judgement judgement = classified(policy, cause);
        Predicate<? super Throwable> stored = policy.options().stored();
        if (stored == null || judgement.retry() || cause instanceof Error) {
            return judgement;
        }
        try {
            return new Judgement(judgement.failure(), false, stored.test(cause));
        } catch (RuntimeException e) {
            LOG.warn(
                    "Policy {}: the predicate for stored failures failed; the category {} decides",
                    policy.name(),
                    judgement.failure().category().code(),
                    e);
            return judgement;
        }
    }

    private static Judgement classified(Policy policy, Throwable cause) {
        if (cause instanceof Failure.Thrown said) {
            return judgeStated(policy, said);
        }
        if (cause instanceof SemelException.NoResult nested
                && !policy.rules().containsKey(SemelException.NoResult.class)) {
            return judgeAnswer(nested);
        }
        if (cause instanceof SemelException.RetryFailed nested
                && !policy.rules().containsKey(SemelException.RetryFailed.class)) {
            return new Judgement(nested.failure(), nested.failure().category().retried());
        }
        Rule rule = mostSpecific(policy, cause);
        boolean storable = !(cause instanceof Error);
        Category category = rule.category().stored() && !storable ? Category.BUG : rule.category();
        return new Judgement(Failure.of(category, reason(cause)).withException(cause), rule.retry());
    }

    private static Throwable unwrap(Throwable thrown) {
        Throwable current = thrown;
        for (int depth = 0; depth < DEEPEST && WRAPPERS.contains(current.getClass()); depth++) {
            Throwable cause = current.getCause();
            if (cause == null) {
                break;
            }
            current = cause;
        }
        return current;
    }

    private static Judgement judgeStated(Policy policy, Failure.Thrown said) {
        Failure failure = said.failure();
        Throwable cause = said.getCause();
        if (failure.exception() == null && cause != null) {
            failure = failure.withException(cause);
        }
        Rule rule = policy.rules().get(Failure.Thrown.class);
        return new Judgement(failure, rule == null ? failure.category().retried() : rule.retry());
    }

    private static Judgement judgeAnswer(SemelException.NoResult nested) {
        Answer<?> answer = nested.answer();
        if (answer instanceof Answer.Failed<?> failed) {
            return new Judgement(failed.failure(), false);
        } else if (answer instanceof Answer.RetryLater<?> later) {
            return new Judgement(later.failure().withRetryAfter(later.in()), true);
        }
        boolean passes = answer instanceof Answer.InProgress || answer instanceof Answer.Halted;
        return new Judgement(Failure.of(category(answer), reason(nested)).withException(nested), passes);
    }

    private static Category category(Answer<?> answer) {
        if (answer instanceof Answer.InProgress || answer instanceof Answer.Conflict) {
            return Category.CONFLICT;
        } else if (answer instanceof Answer.Halted) {
            return Category.DISABLED;
        }
        return answer instanceof Answer.Rejected ? Category.VALIDATION : Category.UNKNOWN;
    }

    private static Rule mostSpecific(Policy policy, Throwable thrown) {
        var rules = new HashMap<>(BuiltInRules.BY_CLASS);
        Rule bySqlState = thrown instanceof SQLException sql ? BuiltInRules.bySqlState(sql) : null;
        if (bySqlState != null) {
            rules.put(SQLException.class, bySqlState);
        }
        rules.putAll(policy.rules());
        rules.keySet().removeIf(type -> !type.isInstance(thrown));
        return rules.entrySet().stream()
                .filter(e -> rules.keySet().stream().noneMatch(other -> narrower(other, e.getKey())))
                .min(DO_NOT_RETRY_FIRST)
                .map(Map.Entry::getValue)
                .orElse(BuiltInRules.UNLISTED);
    }

    private static boolean narrower(Class<?> type, Class<?> than) {
        return type != than && than.isAssignableFrom(type);
    }

    /** The message as one sentence; an exception whose message cannot be read still has a name. */
    private static String reason(Throwable thrown) {
        String name = thrown.getClass().getSimpleName();
        String unnamed = (name.isEmpty() ? thrown.getClass().getName() : name) + " without a message";
        try {
            String message = thrown.getMessage();
            return message == null || message.isBlank() ? unnamed : message;
        } catch (RuntimeException unreadable) {
            return unnamed;
        }
    }

    /**
     * What a downstream's answer amounts to: 408, 425, 429 and server errors may be tried again, other 4xx not. 501 and 505
     * say that the request will never be served, so they are {@code disabled}; a redirect was not followed and is
     * {@code validation}; an impossible number counts as a server error, as RFC 9110 asks.
     *
     * @param retryAfterHeader obeyed on 429 and 503
     * @throws SemelException.Invalid for 100 to 299, which is no failure
     */
    public static Failure ofHttpStatus(int status, @Nullable String retryAfterHeader, Instant now) {
        if (status >= 100 && status < 300) {
            throw new SemelException.Invalid("HTTP status " + status + " is not a failure. Ask only from 300 on.");
        }
        Failure failure = Failure.of(httpCategory(status), "The other side answered HTTP " + status);
        boolean maySayWhen = status == 429 || status == 503;
        return maySayWhen
                ? RetryAfter.parse(retryAfterHeader, now)
                        .map(failure::withRetryAfter)
                        .orElse(failure)
                : failure;
    }

    private static Category httpCategory(int status) {
        return switch (status) {
            case 401, 403, 407 -> Category.AUTH;
            case 402, 451 -> Category.BUSINESS_RULE;
            case 404, 410 -> Category.NOT_FOUND;
            case 408, 504 -> Category.TIMEOUT;
            case 409, 412, 423, 424, 428 -> Category.CONFLICT;
            case 425 -> Category.UPSTREAM_ERROR;
            case 429 -> Category.RATE_LIMITED;
            case 501, 505 -> Category.DISABLED;
            default -> status >= 300 && status < 500 ? Category.VALIDATION : Category.UPSTREAM_ERROR;
        };
    }
}
