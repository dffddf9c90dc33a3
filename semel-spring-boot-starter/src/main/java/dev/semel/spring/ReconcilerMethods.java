package dev.semel.spring;

import dev.semel.Channel;
import dev.semel.Operation;
import dev.semel.Reconciler;
import dev.semel.Reconciler.Verdict;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.key.JacksonCodec;
import dev.semel.policy.Suggestions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The {@link SemelReconciler} methods of the context, and the operations that they reconcile. */
final class ReconcilerMethods {
    private final BeanFactory beans;
    private final ResultCodec results;
    private final Map<String, Reconcilable> operations = new TreeMap<>();
    private final List<ReconcilerMethod> methods = new ArrayList<>();
    private final Map<String, String> places = new TreeMap<>();

    /** @param results writes the results of {@link Idempotent} methods */
    ReconcilerMethods(BeanFactory beans, ResultCodec results) {
        this.beans = beans;
        this.results = results;
    }

    /** An operation or channel, as its reconciler sees it. */
    private sealed interface Reconcilable {
        Operation<?, ?> operation();

        /** The types of its payload: one, or one for each argument of a method; empty where they are not known. */
        List<ResolvableType> payload();

        ResolvableType result();
    }

    /** A channel, or an operation bean: the engine reads its payload and writes its result. */
    private record Declared(Operation<?, ?> operation) implements Reconcilable {
        @Override
        public List<ResolvableType> payload() {
            return List.of(
                    ResolvableType.forType(operation.definition().payload().type()));
        }

        @Override
        public ResolvableType result() {
            return ResolvableType.forType(operation.definition().result().type());
        }
    }

    /** An {@link Idempotent} method: its payload is stored without types, and its result as the method's codec writes it. */
    private record Annotated(IdempotentMethod method) implements Reconcilable {
        @Override
        public Operation<?, ?> operation() {
            return method.operation();
        }

        @Override
        public List<ResolvableType> payload() {
            return method.said().payload() != null
                    ? List.of()
                    : method.argumentPositions().values().stream()
                            .map(position -> ResolvableType.forMethodParameter(method.method(), position))
                            .toList();
        }

        @Override
        public ResolvableType result() {
            return ResolvableType.forType(method.result());
        }
    }

    /** @param whole whether its one payload parameter takes all arguments of a method together */
    private record ReconcilerMethod(AnnotatedMethod<SemelReconciler> declared, Reconcilable operation, boolean whole) {}

    void know(Channel<?> channel) {
        operations.put(channel.name(), new Declared(channel.operation()));
    }

    void know(Operation<?, ?> operation) {
        operations.put(operation.name(), new Declared(operation));
    }

    void know(IdempotentMethod method) {
        operations.put(method.operation().name(), new Annotated(method));
    }

    /** The names of the operations and channels of the context. */
    Collection<String> names() {
        return operations.keySet();
    }

    /** The operation or channel of this name, if the context has one. */
    @Nullable
    Operation<?, ?> operation(String name) {
        Reconcilable known = operations.get(name);
        return known == null ? null : known.operation();
    }

    /** Whether it is an {@link Idempotent} method, whose payload is stored without types. */
    boolean isAnnotated(String name) {
        return operations.get(name) instanceof Annotated;
    }

    void add(AnnotatedMethod<SemelReconciler> declared, List<String> faults) {
        int before = faults.size();
        Method method = declared.method();
        checkShape(method, faults);
        String name = declared.annotation().value();
        String other = places.putIfAbsent(name, declared.place());
        if (other != null) {
            faults.add("\"" + name + "\" has another reconciler, " + other + ": keep one of the two");
        }
        Reconcilable operation = operations.get(name);
        if (operation == null) {
            faults.add("there is no operation or channel \"" + name + "\""
                    + (operations.isEmpty() ? "" : Suggestions.sentence(name, operations.keySet()))
                    + ". It must be an @Idempotent method, a @SemelChannel handler, or a bean of type Channel or"
                    + " Operation.Leased");
            return;
        }
        if (operation.operation() instanceof Operation.Atomic) {
            faults.add(
                    "\"" + name + "\" is atomic: an interrupted run is rolled back, so there is nothing to reconcile."
                            + " Remove the reconciler, or make the operation leased");
            return;
        }
        List<ResolvableType> given = payloadParameters(method);
        if (!takes(given, operation.payload())) {
            faults.add("its parameters do not match the payload of \"" + name + "\": take " + shown(operation.payload())
                    + ", and if needed Reconciler.Case and Tenant");
        }
        checkVerdict(method, operation, faults);
        if (faults.size() == before) {
            boolean whole = operation instanceof Annotated && given.size() == 1;
            methods.add(new ReconcilerMethod(declared, operation, whole));
        }
    }

    private static void checkShape(Method method, List<String> faults) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            faults.add("a reconciler must not be private or static: make it an accessible instance method");
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            faults.add(AnnotatedMethod.SUSPENDS);
        }
    }

    private static void checkVerdict(Method method, Reconcilable operation, List<String> faults) {
        ResolvableType verdict = ResolvableType.forMethodReturnType(method).as(Verdict.class);
        Class<?> result = operation.result().resolve(Object.class);
        Class<?> wanted = result == void.class ? Void.class : ClassUtils.resolvePrimitiveIfNecessary(result);
        if (verdict == ResolvableType.NONE) {
            faults.add("it returns " + method.getReturnType().getSimpleName() + ": return Reconciler.Verdict<"
                    + wanted.getSimpleName() + ">");
            return;
        }
        Class<?> decided = verdict.getGeneric(0).resolve();
        if (decided != null && !wanted.isAssignableFrom(decided)) {
            faults.add("its verdict has a " + decided.getSimpleName() + ", but the result of the operation is a "
                    + wanted.getSimpleName() + ": return Reconciler.Verdict<" + wanted.getSimpleName() + ">");
        }
    }

    private static boolean isGiven(Class<?> type) {
        return type == Reconciler.Case.class || type == Tenant.class;
    }

    private static List<ResolvableType> payloadParameters(Method method) {
        List<ResolvableType> found = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (!isGiven(method.getParameterTypes()[i])) {
                found.add(ResolvableType.forMethodParameter(method, i));
            }
        }
        return found;
    }

    /** A reconciler may ignore the payload, take it whole, or take each argument. */
    private static boolean takes(List<ResolvableType> given, List<ResolvableType> payload) {
        if (given.isEmpty() || given.size() == 1 && payload.size() != 1) {
            return true;
        }
        if (given.size() != payload.size()) {
            return false;
        }
        for (int i = 0; i < given.size(); i++) {
            if (!given.get(i).isAssignableFrom(payload.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static String shown(List<ResolvableType> payload) {
        return payload.isEmpty()
                ? "one parameter for the payload"
                : payload.stream()
                        .map(type -> type.resolve(Object.class).getSimpleName())
                        .collect(Collectors.joining(", "));
    }

    /** Registers the reconcilers with the engine. */
    void register(Semel semel) {
        for (ReconcilerMethod method : methods) {
            if (method.operation instanceof Annotated annotated) {
                register(semel, annotated, method);
            } else {
                register(semel, (Operation.Leased<?, ?>) method.operation.operation(), method);
            }
        }
    }

    private <P, R> void register(Semel semel, Operation.Leased<P, R> operation, ReconcilerMethod method) {
        semel.reconcile(operation, (payload, interrupted) -> {
            @SuppressWarnings("unchecked") // checked when the method was added
            Verdict<R> verdict = (Verdict<R>) call(method.declared, payloadOf(payload), interrupted);
            return verdict;
        });
    }

    private static List<@Nullable Object> payloadOf(@Nullable Object payload) {
        List<@Nullable Object> one = new ArrayList<>();
        one.add(payload);
        return one;
    }

    private void register(Semel semel, Annotated annotated, ReconcilerMethod method) {
        IdempotentMethod declared = annotated.method;
        Operation.Leased<Object, byte[]> operation = (Operation.Leased<Object, byte[]>) declared.operation();
        semel.reconcile(operation, (payload, interrupted) -> {
            Verdict<?> verdict = call(method.declared, arguments(declared, method, payload), interrupted);
            return encoded(verdict, declared);
        });
    }

    /** The payload in the types of the reconciler's parameters. */
    private static List<@Nullable Object> arguments(
            IdempotentMethod declared, ReconcilerMethod method, @Nullable Object payload) {
        List<ResolvableType> types = payloadParameters(method.declared.method());
        List<@Nullable Object> arguments = new ArrayList<>();
        if (method.whole) {
            types.forEach(type -> arguments.add(converted(payload, type)));
        } else {
            Map<?, ?> named = payload instanceof Map<?, ?> map ? map : Map.of();
            List<String> names = List.copyOf(declared.argumentPositions().keySet());
            for (int i = 0; i < types.size(); i++) {
                arguments.add(converted(named.get(names.get(i)), types.get(i)));
            }
        }
        return arguments;
    }

    /** The engine has read a payload without a type as maps, lists and simple values. */
    static @Nullable Object converted(@Nullable Object value, ResolvableType type) {
        if (value == null || type.resolve(Object.class) == Object.class) {
            return value;
        }
        byte[] json = JacksonCodec.usual().encode(value, Object.class);
        return JacksonCodec.usual().decode(json, type.getType());
    }

    @SuppressWarnings("unchecked") // only the verdict that it took effect contains a result
    private Verdict<byte[]> encoded(Verdict<?> verdict, IdempotentMethod declared) {
        return verdict instanceof Verdict.TookEffect<?> effect
                ? Verdict.tookEffect(results.encode(effect.result(), declared.result()))
                : (Verdict<byte[]>) verdict;
    }

    private Verdict<?> call(
            AnnotatedMethod<SemelReconciler> declared,
            Collection<@Nullable Object> payload,
            Reconciler.Case interrupted)
            throws Exception {
        Object bean = beans.getBean(declared.bean());
        Method method = AopUtils.selectInvocableMethod(declared.method(), bean.getClass());
        ReflectionUtils.makeAccessible(method);
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = new Object[types.length];
        var next = payload.iterator();
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == Reconciler.Case.class
                    ? interrupted
                    : types[i] == Tenant.class ? interrupted.tenant() : next.next();
        }
        try {
            return Objects.requireNonNull(
                    (Verdict<?>) method.invoke(bean, arguments), () -> declared.place() + " returned no verdict");
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
            throw e;
        }
    }
}
