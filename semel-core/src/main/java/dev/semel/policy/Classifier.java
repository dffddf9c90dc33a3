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
            return new Judgement(judgement.failure(), false, stored.test(cause), judgement.basis());
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
        Rule bySqlState = cause instanceof SQLException sql ? BuiltInRules.bySqlState(sql.getSQLState()) : null;
        Map.Entry<Class<?>, Rule> matched = mostSpecific(policy.rules(), cause.getClass(), bySqlState);
        Rule rule = matched == null ? BuiltInRules.UNLISTED : matched.getValue();
        boolean storable = !(cause instanceof Error);
        Category category = rule.category().stored() && !storable ? Category.BUG : rule.category();
        Failure failure = Failure.of(category, reason(cause)).withException(cause);
        return new Judgement(failure, rule.retry(), basis(policy, matched, cause, bySqlState));
    }

    private static JudgementBasis basis(
            Policy policy, Map.@Nullable Entry<Class<?>, Rule> matched, Throwable cause, @Nullable Rule bySqlState) {
        if (matched == null) {
            return JudgementBasis.of(JudgementBasis.Source.UNLISTED);
        }
        Class<?> type = matched.getKey();
        if (policy.rules().containsKey(type)) {
            return new JudgementBasis(JudgementBasis.Source.POLICY_RULE, type.getName());
        }
        return type == SQLException.class && bySqlState != null && cause instanceof SQLException sql
                ? new JudgementBasis(JudgementBasis.Source.SQL_STATE, sql.getSQLState())
                : new JudgementBasis(JudgementBasis.Source.BUILT_IN_RULE, type.getName());
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
        return rule == null
                ? new Judgement(failure, failure.category().retried())
                : new Judgement(
                        failure,
                        rule.retry(),
                        new JudgementBasis(JudgementBasis.Source.POLICY_RULE, Failure.Thrown.class.getName()));
    }

    private static Judgement judgeAnswer(SemelException.NoResult nested) {
        Answer<?> answer = nested.answer();
        if (answer instanceof Answer.Failed<?> failed) {
            return new Judgement(failed.failure(), false, answered(answer));
        } else if (answer instanceof Answer.RetryLater<?> later) {
            return new Judgement(later.failure().withRetryAfter(later.in()), true, answered(answer));
        }
        boolean passes = answer instanceof Answer.InProgress || answer instanceof Answer.Halted;
        Failure failure = Failure.of(category(answer), reason(nested)).withException(nested);
        return new Judgement(failure, passes, answered(answer));
    }

    private static JudgementBasis answered(Answer<?> answer) {
        return new JudgementBasis(
                JudgementBasis.Source.ANSWER, answer.getClass().getSimpleName());
    }

    private static Category category(Answer<?> answer) {
        if (answer instanceof Answer.InProgress || answer instanceof Answer.Conflict) {
            return Category.CONFLICT;
        } else if (answer instanceof Answer.Halted) {
            return Category.DISABLED;
        }
        return answer instanceof Answer.Rejected ? Category.VALIDATION : Category.UNKNOWN;
    }

    /**
     * The rule that decides on exceptions of a class; null when there is none.
     *
     * @param bySqlState what the SQL state of a plain {@code SQLException} says
     */
    static Map.@Nullable Entry<Class<?>, Rule> mostSpecific(
            Map<Class<?>, Rule> ofPolicy, Class<?> thrown, @Nullable Rule bySqlState) {
        var rules = new HashMap<>(BuiltInRules.BY_CLASS);
        if (bySqlState != null) {
            rules.put(SQLException.class, bySqlState);
        }
        rules.putAll(ofPolicy);
        rules.keySet().removeIf(type -> !type.isAssignableFrom(thrown));
        return rules.entrySet().stream()
                .filter(e -> rules.keySet().stream().noneMatch(other -> narrower(other, e.getKey())))
                .min(DO_NOT_RETRY_FIRST)
                .orElse(null);
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
