package dev.semel.spring;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.lang.reflect.Method;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.util.ClassUtils;

/** Intercepts calls of {@link Idempotent} methods; the engine decides whether they run. */
final class IdempotentInterceptor implements MethodInterceptor {
    private final Supplier<CallServices> services;
    private final Map<MethodClassKey, IdempotentMethod> methods = new ConcurrentHashMap<>();

    /** The services that a call needs. */
    record CallServices(
            Semel semel,
            TenantResolver tenants,
            ResultCodec codec,
            Expressions expressions,
            RunContexts contexts,
            CallSettings settings) {}

    /**
     * @param patience of methods that declare none
     * @param guards of the application
     */
    record CallSettings(Duration patience, List<OperationGuards> guards) {}

    /** @param services resolved at the first call, because advice is created before most beans */
    IdempotentInterceptor(Supplier<CallServices> services) {
        this.services = services;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        CallServices with = services.get();
        IdempotentMethod declared = declared(invocation, with);
        Call<Object> call = call(invocation, declared, with);
        MethodRun run = new MethodRun((ProxyMethodInvocation) invocation, declared, with);
        Answer<byte[]> answer = declared.operation() instanceof Operation.Atomic<Object, byte[]> atomic
                ? with.semel().run(atomic, call, (payload, tx) -> run.once(tx))
                : with.semel()
                        .run(
                                (Operation.Leased<Object, byte[]>) declared.operation(),
                                call,
                                (payload, leased) -> run.once(leased));
        return run.outcome(answer);
    }

    private IdempotentMethod declared(MethodInvocation invocation, CallServices with) {
        Object target = Objects.requireNonNull(invocation.getThis());
        Class<?> type = ClassUtils.getUserClass(target);
        return methods.computeIfAbsent(new MethodClassKey(invocation.getMethod(), type), key -> {
            Method method = ClassUtils.getMostSpecificMethod(invocation.getMethod(), type);
            Idempotent annotation = AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
            List<String> faults = new ArrayList<>();
            IdempotentMethod read =
                    IdempotentMethod.of(type, method, Objects.requireNonNull(annotation), with.expressions(), faults);
            if (read == null) {
                throw new SemelException.Misconfigured(type.getSimpleName() + "." + method.getName(), faults);
            }
            return read.guardedBy(with.settings().guards());
        });
    }

    private static Call<Object> call(MethodInvocation invocation, IdempotentMethod declared, CallServices with) {
        @Nullable Object[] arguments = invocation.getArguments();
        IdempotentMethod.CallExpressions said = declared.said();
        Object payload = said.payload() == null
                ? declared.payload(arguments)
                : value(invocation, declared, with, said.payload());
        Duration patience = declared.patience() == null ? with.settings().patience() : declared.patience();
        Tenant tenant = tenant(invocation, declared, with);
        Key.CallFacts<Object> facts =
                new Key.CallFacts<>(declared.operation().name(), tenant, payload, Call.Origin.UNSTATED, Map.of());
        return Call.of(tenant, key(invocation, declared, with, facts), payload).withPatience(patience);
    }

    private static @Nullable Object value(
            MethodInvocation invocation, IdempotentMethod declared, CallServices with, Expression expression) {
        Object target = Objects.requireNonNull(invocation.getThis());
        return with.expressions().value(expression, target, declared.method(), invocation.getArguments());
    }

    @SuppressWarnings("unchecked") // A strategy for another payload fails by name, as one that throws.
    private static Key key(
            MethodInvocation invocation, IdempotentMethod declared, CallServices with, Key.CallFacts<Object> facts) {
        Object value = value(invocation, declared, with, declared.said().key());
        if (value == null) {
            throw nothing(declared, "key", declared.said().key());
        }
        if (value instanceof Key.Strategy<?> strategy) {
            return ((Key.Strategy<Object>) strategy).of(facts);
        }
        return value instanceof Key key ? key : Key.of(value.toString());
    }

    private static Tenant tenant(MethodInvocation invocation, IdempotentMethod declared, CallServices with) {
        Expression said = declared.said().tenant();
        if (said == null) {
            return with.tenants()
                    .current()
                    .orElseThrow(() -> new SemelException.Invalid(
                            "Operation " + declared.operation().name()
                                    + ": rejected: the tenant of the caller is unknown ("
                                    + with.tenants().getClass().getName()
                                    + " returned no tenant). Nothing was run."));
        }
        Object value = value(invocation, declared, with, said);
        if (value == null) {
            throw nothing(declared, "tenant", said);
        }
        return value instanceof Tenant tenant ? tenant : Tenant.of(value.toString());
    }

    private static SemelException.Invalid nothing(IdempotentMethod declared, String what, Expression expression) {
        return new SemelException.Invalid("Operation " + declared.operation().name() + ": rejected: the"
                + " " + what + " expression \""
                + expression.getExpressionString() + "\" is null for this call. Nothing was run.");
    }

    /** The runs of one call, with the result or exception of the last one. */
    private static final class MethodRun {
        private final ProxyMethodInvocation invocation;
        private final IdempotentMethod declared;
        private final ResultCodec codec;
        private final Semel semel;
        private final RunContexts contexts;
        private @Nullable Object returned;
        private @Nullable Throwable thrown;

        MethodRun(ProxyMethodInvocation invocation, IdempotentMethod declared, CallServices with) {
            this.invocation = invocation;
            this.declared = declared;
            this.codec = with.codec();
            this.semel = with.semel();
            this.contexts = with.contexts();
        }

        byte @Nullable [] once(Object context) throws Exception {
            returned = null;
            thrown = null;
            try {
                returned = contexts.within(
                        context,
                        () -> invocation
                                .invocableClone(declared.with(context, invocation.getArguments()))
                                .proceed());
                if (semel instanceof SpringSemel spring) {
                    spring.settle();
                }
            } catch (Throwable e) {
                thrown = e;
                if (e instanceof Exception exception) {
                    throw exception;
                }
                if (e instanceof Error error) {
                    throw error;
                }
                throw new UndeclaredThrowableException(e);
            }
            return codec.encode(returned, declared.result());
        }

        @Nullable
        Object outcome(Answer<byte[]> answer) throws Throwable {
            if (answer instanceof Answer.Executed) {
                return returned;
            }
            if (answer.isResult()) {
                Object result = codec.decode(answer.orThrow(), declared.result());
                if (result != null || !declared.method().getReturnType().isPrimitive() || isVoid()) {
                    return result;
                }
            }
            boolean own = answer instanceof Answer.Failed || answer instanceof Answer.RetryLater;
            if (own && thrown != null) {
                throw thrown;
            }
            SemelException.NoResult none = none(answer);
            if (thrown != null) {
                none.initCause(thrown);
            }
            throw none;
        }

        private boolean isVoid() {
            return declared.method().getReturnType() == void.class;
        }

        private SemelException.NoResult none(Answer<byte[]> answer) {
            String why = answer.fold(result -> "there is no result", Answer.Notice::reason);
            String correlation = answer.fold(result -> "", notice -> " (correlation " + notice.correlationId() + ")");
            return new SemelException.NoResult(
                    answer,
                    declared.operation().name() + ": " + answer.getClass().getSimpleName() + ": " + why + correlation);
        }
    }
}
