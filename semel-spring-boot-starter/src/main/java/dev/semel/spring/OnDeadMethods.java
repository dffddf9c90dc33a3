package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Death;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Tenant;
import dev.semel.policy.Suggestions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** The {@link SemelOnDead} methods of the context, and the operations whose deaths they handle. */
final class OnDeadMethods {
    private final BeanFactory beans;
    private final RunContexts contexts;
    private final ReconcilerMethods operations;
    private final List<OnDeadMethod> methods = new ArrayList<>();
    private final Map<String, String> places = new TreeMap<>();

    /** @param operations knows the operations and channels of the context */
    OnDeadMethods(BeanFactory beans, RunContexts contexts, ReconcilerMethods operations) {
        this.beans = beans;
        this.contexts = contexts;
        this.operations = operations;
    }

    /** @param payload the type that the method wants */
    private record OnDeadMethod(
            AnnotatedMethod<SemelOnDead> declared, Operation<?, ?> operation, ResolvableType payload) {}

    /** @param inDataSource whether the ledger is in the application's data source */
    void add(AnnotatedMethod<SemelOnDead> declared, boolean inDataSource, List<String> faults) {
        int before = faults.size();
        Method method = declared.method();
        String name = declared.annotation().value();
        checkShape(method, inDataSource, faults);
        String other = places.putIfAbsent(name, declared.place());
        if (other != null) {
            faults.add("\"" + name + "\" has another onDead method, " + other + ": keep one of the two");
        }
        Operation<?, ?> operation = operations.operation(name);
        if (operation == null) {
            faults.add("there is no operation or channel \"" + name + "\""
                    + (operations.names().isEmpty() ? "" : Suggestions.sentence(name, operations.names()))
                    + ". It must be an @Idempotent method, a @SemelChannel handler, or a bean of type Channel or"
                    + " Operation");
            return;
        }
        ResolvableType wanted = wanted(method);
        if (wanted == null) {
            faults.add("its parameters must be one Death, and if needed AtomicContext and Tenant");
            return;
        }
        ResolvableType carried =
                ResolvableType.forType(operation.definition().payload().type());
        if (!operations.isAnnotated(name)
                && wanted.resolve() != null
                && wanted.resolve() != Object.class
                && !wanted.isAssignableFrom(carried)) {
            faults.add("it takes a Death<" + wanted + ">, but the payload of \"" + name + "\" is a " + carried
                    + ": take Death<" + carried + ">");
        }
        if (faults.size() == before) {
            methods.add(new OnDeadMethod(declared, operation, wanted));
        }
    }

    private static void checkShape(Method method, boolean inDataSource, List<String> faults) {
        if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
            faults.add("an onDead method must not be private or static: make it an accessible instance method");
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            faults.add(AnnotatedMethod.SUSPENDS);
        }
        if (method.getReturnType() != void.class) {
            faults.add("the return value of an onDead method is ignored: make the method void");
        }
        if (!inDataSource && !Arrays.asList(method.getParameterTypes()).contains(AtomicContext.class)) {
            faults.add("the ledger has its own store (semel.store), so the writes of the method would not commit with"
                    + " the dead letter: remove semel.store, or add an AtomicContext parameter and write on its"
                    + " connection");
        }
    }

    /** The payload type of its one Death parameter; nothing when its parameters are others. */
    private static @Nullable ResolvableType wanted(Method method) {
        Class<?>[] types = method.getParameterTypes();
        boolean known = Arrays.stream(types)
                .allMatch(type -> type == Death.class || type == AtomicContext.class || type == Tenant.class);
        int[] deaths = IntStream.range(0, types.length)
                .filter(i -> types[i] == Death.class)
                .toArray();
        return known && deaths.length == 1
                ? ResolvableType.forMethodParameter(method, deaths[0]).getGeneric(0)
                : null;
    }

    /** Registers the methods with the engine. */
    void register(Semel semel) {
        methods.forEach(method -> register(semel, method.operation, method));
    }

    private <P> void register(Semel semel, Operation<P, ?> operation, OnDeadMethod method) {
        boolean annotated = operations.isAnnotated(operation.name());
        semel.onDead(operation, (death, tx) -> call(method, annotated ? converted(death, method.payload) : death, tx));
    }

    /** The payload of an {@link Idempotent} method is stored without types. */
    private static Death<?> converted(Death<?> death, ResolvableType type) {
        return new Death<>(
                death.id(),
                death.record(),
                death.payload().map(payload -> ReconcilerMethods.converted(payload, type)),
                death.failure(),
                death.attempts());
    }

    private void call(OnDeadMethod onDead, Death<?> death, AtomicContext tx) throws Exception {
        Object bean = beans.getBean(onDead.declared.bean());
        Method method = AopUtils.selectInvocableMethod(onDead.declared.method(), bean.getClass());
        ReflectionUtils.makeAccessible(method);
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> type == Death.class ? death : type == Tenant.class ? death.tenant() : tx)
                .toArray();
        try {
            contexts.within(tx, () -> method.invoke(bean, arguments));
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
        }
    }
}
