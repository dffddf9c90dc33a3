package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.LeasedContext;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.SemelException;
import dev.semel.Tenant;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** The {@link SemelChannel} methods of the context, and the channels that they handle. */
final class ChannelMethods {
    private final BeanFactory beans;
    private final RunContexts contexts;
    private final Map<String, Channel<?>> known = new TreeMap<>();
    private final Map<String, List<Channel.Capacity>> capacities = new TreeMap<>();
    private final List<ChannelHandler> handlers = new ArrayList<>();

    /** A method and its channel. */
    private record ChannelHandler(AnnotatedMethod<SemelChannel> declared, Channel<?> channel) {}

    /**
     * @param channels the channel beans of the application
     * @param said the capacity beans of the application
     */
    ChannelMethods(
            BeanFactory beans, RunContexts contexts, Iterable<Channel<?>> channels, Iterable<ChannelCapacity> said) {
        this.beans = beans;
        this.contexts = contexts;
        channels.forEach(channel -> known.put(channel.name(), channel));
        said.forEach(each -> capacities
                .computeIfAbsent(each.channel(), any -> new ArrayList<>())
                .add(each.capacity()));
    }

    /** @return the channel; null when the method is not valid and its faults were added */
    @Nullable
    Channel<?> add(AnnotatedMethod<SemelChannel> declared, List<String> faults) {
        int before = faults.size();
        if (KotlinDetector.isSuspendingFunction(declared.method())) {
            faults.add(AnnotatedMethod.SUSPENDS);
            return null;
        }
        Type payload = payload(declared, faults);
        int modifiers = declared.method().getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) {
            faults.add("a channel handler must not be private or static: make it an accessible instance method");
        }
        if (declared.method().getReturnType() != void.class) {
            faults.add("the return value of a channel handler is ignored: make the method void");
        }
        Channel<?> channel = channel(declared.annotation(), payload, faults);
        if (channel == null || payload == null) {
            return null;
        }
        Operation.TypeRef<?> carried = channel.definition().operation().payload();
        if (!accepts(payload, carried)) {
            faults.add("its payload parameter is a " + payload.getTypeName() + ", but messages of the channel carry "
                    + carried.name());
        }
        Class<?> wrong = channel instanceof Channel.Atomic ? LeasedContext.class : AtomicContext.class;
        if (List.of(declared.method().getParameterTypes()).contains(wrong)) {
            faults.add("it has a parameter of type " + wrong.getSimpleName() + ", but its channel is "
                    + (channel instanceof Channel.Atomic ? "atomic" : "leased"));
        }
        if (!declared.annotation().repeatable() && !isUnrepeatable(channel)) {
            faults.add("it declares repeatable = false, but its channel "
                    + (channel instanceof Channel.Atomic
                            ? "is atomic, and an interrupted atomic delivery has no effect: remove it, or declare form ="
                                    + " LEASED"
                            : "is a bean, which decides: declare that asUnrepeatable()"));
        }
        List<Channel.Capacity> own = capacities.getOrDefault(channel.name(), List.of());
        if (own.size() + (declared.annotation().concurrency() > 0 ? 1 : 0) > 1) {
            faults.add("its capacity is set more than once: keep one ChannelCapacity bean, or the concurrency of the"
                    + " annotation");
        }
        if (faults.size() == before) {
            handlers.add(new ChannelHandler(declared, channel));
        }
        return channel;
    }

    /** With its arguments, so that a {@code List<Order>} is read as one. */
    private static @Nullable Type payload(AnnotatedMethod<SemelChannel> declared, List<String> faults) {
        Type payload = null;
        for (Type written : declared.method().getGenericParameterTypes()) {
            Type type = GenericTypeResolver.resolveType(written, declared.type());
            if (isGiven(type)) {
                continue;
            }
            if (payload != null) {
                faults.add(
                        "it has more than one payload parameter: keep one for the message; others may be AtomicContext"
                                + " or LeasedContext, and Tenant");
                return payload;
            }
            payload = type;
        }
        if (payload == null) {
            faults.add("it has no payload parameter: add one for the message");
        }
        return payload;
    }

    /** The same class; arguments count where the parameter has them. */
    private static boolean accepts(Type parameter, Operation.TypeRef<?> carried) {
        ResolvableType wanted = ResolvableType.forType(parameter);
        return wanted.toClass() == carried.raw()
                && (parameter instanceof Class || wanted.isAssignableFrom(ResolvableType.forType(carried.type())));
    }

    private static boolean isGiven(Type type) {
        return type == AtomicContext.class || type == LeasedContext.class || type == Tenant.class;
    }

    private @Nullable Channel<?> channel(SemelChannel declared, @Nullable Type payload, List<String> faults) {
        Channel<?> bean = known.get(declared.value());
        if (bean != null || payload == null) {
            return bean;
        }
        try {
            Operation.TypeRef<?> carried = Operation.TypeRef.of(payload);
            return declared.form() == Idempotent.Form.ATOMIC
                    ? Channel.atomic(declared.value(), carried).withPolicy(declared.policy())
                    : leased(declared, carried);
        } catch (SemelException.Invalid e) {
            faults.add(String.valueOf(e.getMessage()));
            return null;
        }
    }

    private static <P> Channel.Leased<P> leased(SemelChannel declared, Operation.TypeRef<P> payload) {
        Channel.Leased<P> channel = Channel.leased(declared.value(), payload).withPolicy(declared.policy());
        return declared.repeatable() ? channel : channel.asUnrepeatable();
    }

    private static boolean isUnrepeatable(Channel<?> channel) {
        return channel instanceof Channel.Leased<?> leased && !leased.repeatable();
    }

    /** The channel beans of the application, by name. */
    Map<String, Channel<?>> known() {
        return known;
    }

    /** Channels with a capacity but without a handler. */
    List<String> unhandled(Collection<String> handled) {
        return capacities.keySet().stream()
                .filter(name -> !handled.contains(name))
                .toList();
    }

    /** Registers the handlers with the engine. */
    void register(Semel semel, int concurrency) {
        for (ChannelHandler handler : handlers) {
            int own = handler.declared.annotation().concurrency();
            Channel.Capacity capacity = capacities
                    .getOrDefault(handler.channel.name(), List.of(Channel.Capacity.of(own > 0 ? own : concurrency)))
                    .get(0);
            if (handler.channel instanceof Channel.Atomic<?> atomic) {
                register(semel, atomic, capacity, handler);
            } else {
                register(semel, (Channel.Leased<?>) handler.channel, capacity, handler);
            }
        }
    }

    private <P> void register(
            Semel semel, Channel.Atomic<P> channel, Channel.Capacity capacity, ChannelHandler handler) {
        semel.handle(channel, capacity, (payload, tx) -> call(handler.declared, payload, tx, tx.tenant()));
    }

    private <P> void register(
            Semel semel, Channel.Leased<P> channel, Channel.Capacity capacity, ChannelHandler handler) {
        semel.handle(channel, capacity, (payload, run) -> call(handler.declared, payload, run, run.tenant()));
    }

    private void call(AnnotatedMethod<SemelChannel> declared, @Nullable Object payload, Object context, Tenant tenant)
            throws Exception {
        Object bean = beans.getBean(declared.bean());
        Method method = AopUtils.selectInvocableMethod(declared.method(), bean.getClass());
        ReflectionUtils.makeAccessible(method);
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == Tenant.class ? tenant : isGiven(types[i]) ? context : payload;
        }
        try {
            contexts.within(context, () -> method.invoke(bean, arguments));
        } catch (InvocationTargetException e) {
            ReflectionUtils.rethrowException(e.getTargetException());
        }
    }
}
