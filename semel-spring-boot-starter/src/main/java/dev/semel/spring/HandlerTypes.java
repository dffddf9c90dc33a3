package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.LeasedContext;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.stream.Stream;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;

/** Registers an annotated handler, and the types that are written and read as its payload and result, for ahead-of-time processing. */
final class HandlerTypes implements ReflectiveProcessor {
    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            Type[] types = Stream.concat(
                            Stream.of(method.getGenericReturnType()), Stream.of(method.getGenericParameterTypes()))
                    .filter(type -> type != AtomicContext.class && type != LeasedContext.class && type != void.class)
                    .toArray(Type[]::new);
            binding.registerReflectionHints(hints, types);
        }
    }
}
