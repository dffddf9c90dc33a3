package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.SemelException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.util.ClassUtils;

/**
 * An {@link Idempotent} method, parsed once.
 *
 * @param said its expressions; null means the default
 * @param patience how long to wait for another run; null for the configured patience
 */
record IdempotentMethod(
        Method method,
        Operation<Object, byte[]> operation,
        CallExpressions said,
        @Nullable Duration patience,
        Type result) {

    /** The expressions of the annotation. */
    record CallExpressions(
            Expression key,
            @Nullable Expression payload,
            @Nullable Expression tenant) {}

    /** Whether the interceptor handles its calls. The filter handles a route without a key. */
    static boolean isOne(Method method, Class<?> type) {
        Idempotent declared = AnnotatedElementUtils.findMergedAnnotation(
                ClassUtils.getMostSpecificMethod(method, type), Idempotent.class);
        return declared != null && !declared.key().isEmpty();
    }

    /** @param faults receives the faults of the method; then the result is null */
    static @Nullable IdempotentMethod of(
            Class<?> type, Method method, Idempotent declared, Expressions expressions, List<String> faults) {
        int before = faults.size();
        checkShape(method, declared, faults);
        Expression key = parsed(expressions, "key", declared.key(), faults);
        CallExpressions said = key == null
                ? null
                : new CallExpressions(
                        key,
                        parsed(expressions, "payload", declared.payload(), faults),
                        parsed(expressions, "tenant", declared.tenant(), faults));
        if (declared.key().isBlank()) {
            faults.add("its key is empty: set an expression that identifies the call, such as key = \"#order.id\"");
        }
        if (declared.level() != Idempotent.Level.CONFIGURED || declared.header() != Idempotent.Header.CONFIGURED) {
            faults.add("level and header apply only to routes without a key: remove them, or remove the key");
        }
        Duration patience = patience(declared, faults);
        Operation<Object, byte[]> operation = operation(declared, faults);
        return faults.size() > before || said == null || operation == null
                ? null
                : new IdempotentMethod(
                        method,
                        operation,
                        said,
                        patience,
                        ResolvableType.forMethodReturnType(method, type).getType());
    }

    private static void checkShape(Method method, Idempotent declared, List<String> faults) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            faults.add("Spring cannot intercept a private, static or final method: make it overridable");
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            faults.add(AnnotatedMethod.SUSPENDS);
        }
        Class<?> result = method.getReturnType();
        if (Future.class.isAssignableFrom(result)
                || CompletionStage.class.isAssignableFrom(result)
                || BaseStream.class.isAssignableFrom(result)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(result) != null) {
            faults.add("it returns " + result.getSimpleName()
                    + ", whose result is not available when the method returns: return the result itself");
        }
        boolean atomic = declared.form() == Idempotent.Form.ATOMIC;
        Class<?> wrong = atomic ? LeasedContext.class : AtomicContext.class;
        if (Arrays.asList(method.getParameterTypes()).contains(wrong)) {
            faults.add("it has a parameter of type " + wrong.getSimpleName() + ", but its form is " + declared.form());
        }
        if (atomic && declared.repeatable()) {
            faults.add("repeatable applies only to leased methods: an interrupted atomic method has no effect. Remove"
                    + " it, or declare form = LEASED");
        }
        if (declared.whileRunning() == Idempotent.WhileRunning.REJECT
                && !declared.patience().isEmpty()) {
            faults.add("it rejects while another call runs, but also has the patience" + " " + declared.patience()
                    + ": choose one");
        }
    }

    private static @Nullable Expression parsed(Expressions expressions, String what, String text, List<String> faults) {
        if (text.isBlank()) {
            return null;
        }
        try {
            return expressions.parse(text);
        } catch (ParseException e) {
            faults.add("its " + what + " \"" + text + "\" is not a valid SpEL expression: " + e.getMessage());
            return null;
        }
    }

    static @Nullable Duration patience(Idempotent declared, List<String> faults) {
        if (declared.whileRunning() == Idempotent.WhileRunning.REJECT) {
            return Duration.ZERO;
        }
        if (declared.patience().isEmpty()) {
            return null;
        }
        try {
            Duration patience = DurationStyle.detectAndParse(declared.patience());
            if (!patience.isNegative()) {
                return patience;
            }
        } catch (IllegalArgumentException e) {
            // reported below
        }
        faults.add("its patience \"" + declared.patience() + "\" is not a valid duration: use one such as 2s or 500ms");
        return null;
    }

    private static @Nullable Operation<Object, byte[]> operation(Idempotent declared, List<String> faults) {
        try {
            if (declared.form() == Idempotent.Form.ATOMIC) {
                Operation.Atomic<Object, byte[]> atomic = Operation.atomic(declared.value(), Object.class, byte[].class)
                        .withPolicy(declared.policy());
                for (String label : declared.labels()) {
                    atomic = atomic.withLabel(label);
                }
                return atomic;
            }
            Operation.Leased<Object, byte[]> leased = Operation.leased(declared.value(), Object.class, byte[].class)
                    .withPolicy(declared.policy());
            for (String label : declared.labels()) {
                leased = leased.withLabel(label);
            }
            return declared.repeatable() ? leased.asRepeatable() : leased;
        } catch (SemelException.Invalid e) {
            faults.add(String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** With the rate limit and breaker that the application declares for its operation. */
    IdempotentMethod guardedBy(List<OperationGuards> guards) {
        for (OperationGuards each : guards) {
            if (each.operation().equals(operation.name())) {
                return new IdempotentMethod(method, each.on(operation), said, patience, result);
            }
        }
        return this;
    }

    private static boolean isContext(Class<?> type) {
        return type == AtomicContext.class || type == LeasedContext.class;
    }

    boolean isAtomic() {
        return operation instanceof Operation.Atomic;
    }

    /** The names of the arguments that are the payload, with their positions: all but the contexts. */
    Map<String, Integer> argumentPositions() {
        Map<String, Integer> positions = new LinkedHashMap<>();
        String[] names = Expressions.NAMES.getParameterNames(method);
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (!isContext(types[i])) {
                positions.put(names == null ? "p" + i : names[i], i);
            }
        }
        return positions;
    }

    /** The arguments without the contexts, as the payload. */
    @Nullable
    Object payload(@Nullable Object[] arguments) {
        Map<String, @Nullable Object> named = new LinkedHashMap<>();
        argumentPositions().forEach((name, position) -> named.put(name, arguments[position]));
        return named.size() == 1 ? named.values().iterator().next() : named;
    }

    /** The arguments with the context of the run, whatever the caller passed there. */
    @Nullable
    Object[] with(Object runContext, @Nullable Object[] arguments) {
        @Nullable Object[] given = arguments.clone();
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (isContext(types[i])) {
                given[i] = runContext;
            }
        }
        return given;
    }
}
