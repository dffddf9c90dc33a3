package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Checks all annotated beans of the context together, and reports all faults before anything runs. */
final class AnnotationCheck {
    private final Expressions expressions;
    private final @Nullable Catalogue catalogue;
    private final boolean inDataSource;
    private final @Nullable String unprotected;
    private final List<String> faults = new ArrayList<>();
    private final Map<String, String> places = new HashMap<>();

    /**
     * @param catalogue null when the policies are not known
     * @param inDataSource whether the ledger is in the application's data source
     * @param unprotected why routes are not protected; null when they are
     */
    AnnotationCheck(
            Expressions expressions,
            @Nullable Catalogue catalogue,
            boolean inDataSource,
            @Nullable String unprotected) {
        this.expressions = expressions;
        this.catalogue = catalogue;
        this.inDataSource = inDataSource;
        this.unprotected = unprotected;
    }

    /** Adds faults from another check, to report all of them together. */
    void add(List<String> others) {
        faults.addAll(others);
    }

    /** @param reconcilers is told of the methods that it may reconcile */
    void checkMethods(List<AnnotatedMethod<Idempotent>> methods, ReconcilerMethods reconcilers) {
        for (AnnotatedMethod<Idempotent> each : methods) {
            List<String> own = new ArrayList<>();
            if (each.annotation().key().isEmpty() && RouteRules.isRoute(each.method())) {
                route(each.annotation(), own);
                synchronous(each.annotation(), each.method(), own);
                told("@Idempotent " + each.place(), own);
                continue;
            }
            IdempotentMethod method =
                    IdempotentMethod.of(each.type(), each.method(), each.annotation(), expressions, own);
            if (method != null) {
                reconcilers.know(method);
            }
            policy(each.annotation().policy(), own);
            if (each.annotation().form() == Idempotent.Form.ATOMIC) {
                demandDataSource(each.method(), own);
            }
            once(each.annotation().value(), each.place(), own);
            told("@Idempotent " + each.place(), own);
        }
    }

    /** Each is for one method, and no method has two. */
    void checkGuards(List<OperationGuards> guards, List<AnnotatedMethod<Idempotent>> methods) {
        Set<String> seen = new HashSet<>();
        for (OperationGuards each : guards) {
            String name = "OperationGuards of \"" + each.operation() + "\": ";
            if (!seen.add(each.operation())) {
                faults.add(name + "declared more than once: keep one bean");
            } else if (methods.stream()
                    .noneMatch(method -> !method.annotation().key().isEmpty()
                            && method.annotation().value().equals(each.operation()))) {
                faults.add(name + "no @Idempotent method with a key has this operation");
            }
        }
    }

    /** An annotation on a class applies to its routes and to no other methods. */
    void checkClasses(List<Class<?>> types) {
        for (Class<?> type : types) {
            Idempotent said =
                    Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class));
            Set<Method> routes = MethodIntrospector.selectMethods(type, (Method method) -> RouteRules.isRoute(method));
            List<String> own = new ArrayList<>();
            if (routes.isEmpty()) {
                own.add("the class has no request mappings, and the annotation on a class applies only to routes:"
                        + " annotate the methods instead");
            } else if (!said.key().isEmpty()) {
                own.add("a key belongs on a method; requests send their own key: remove it from the class");
            } else {
                route(said, own);
            }
            told("@Idempotent " + type.getSimpleName(), own);
            for (Method method : routes) {
                if (said.equals(RouteRules.said(type, method))) {
                    List<String> its = new ArrayList<>();
                    synchronous(said, method, its);
                    told("@Idempotent " + type.getSimpleName() + "." + method.getName(), its);
                }
            }
        }
    }

    /** A route: the request has the key. */
    private void route(Idempotent said, List<String> own) {
        policy(said.policy(), own);
        if (unprotected != null && said.header() != Idempotent.Header.OFF) {
            own.add("the route is not protected against running twice: " + unprotected);
        }
        if (!said.value().isEmpty()
                || !said.payload().isEmpty()
                || !said.tenant().isEmpty()) {
            own.add("it has a name, a payload or a tenant, but no key. Remove them to use the key of the request, or"
                    + " add a key to make the method itself idempotent");
        }
        IdempotentMethod.patience(said, own);
        if (isBound(said) && !inDataSource) {
            own.add("its level is " + said.level() + ", but the ledger has its own store (semel.store) and cannot join"
                    + " the handler's transaction: use PLAIN, or remove semel.store");
        }
    }

    private static boolean isBound(Idempotent said) {
        return said.level() == Idempotent.Level.SPAN || said.level() == Idempotent.Level.MARKER;
    }

    private static void synchronous(Idempotent said, Method method, List<String> own) {
        if (isBound(said) && RouteRules.isAsynchronous(method)) {
            own.add("its level is " + said.level()
                    + ", but it responds asynchronously, so its transaction is on another thread: use PLAIN, or return"
                    + " the result itself");
        }
    }

    /** @param reconcilers is told of the channels that it may reconcile */
    void checkChannels(
            List<AnnotatedMethod<SemelChannel>> methods, ChannelMethods channels, ReconcilerMethods reconcilers) {
        channels.known().values().forEach(reconcilers::know);
        for (AnnotatedMethod<SemelChannel> each : methods) {
            List<String> own = new ArrayList<>();
            Channel<?> channel = channels.add(each, own);
            if (channel != null) {
                reconcilers.know(channel);
            }
            if (channel != null && channel.definition().operation().policy().carried() == null) {
                policy(channel.definition().operation().policy().name(), own);
            }
            if (channel instanceof Channel.Atomic) {
                demandDataSource(each.method(), own);
            }
            once(each.annotation().value(), each.place(), own);
            told("@SemelChannel " + each.place(), own);
        }
        Set<String> handled =
                methods.stream().map(each -> each.annotation().value()).collect(Collectors.toSet());
        channels.unhandled(handled)
                .forEach(name -> faults.add(
                        "ChannelCapacity of \"" + name + "\": no @SemelChannel method handles this channel"));
    }

    void checkReconcilers(List<AnnotatedMethod<SemelReconciler>> methods, ReconcilerMethods reconcilers) {
        for (AnnotatedMethod<SemelReconciler> each : methods) {
            List<String> own = new ArrayList<>();
            reconcilers.add(each, own);
            told("@SemelReconciler " + each.place(), own);
        }
    }

    void checkOnDead(List<AnnotatedMethod<SemelOnDead>> methods, OnDeadMethods deaths) {
        for (AnnotatedMethod<SemelOnDead> each : methods) {
            List<String> own = new ArrayList<>();
            deaths.add(each, inDataSource, own);
            told("@SemelOnDead " + each.place(), own);
        }
    }

    private void demandDataSource(Method method, List<String> own) {
        boolean takesContext = Arrays.asList(method.getParameterTypes()).contains(AtomicContext.class);
        if (!inDataSource && !takesContext) {
            own.add("it is atomic, but the ledger has its own store (semel.store), so the writes of the method would"
                    + " not commit with its record: remove semel.store, declare form = LEASED, or add an AtomicContext"
                    + " parameter and write on its connection");
        }
    }

    private void policy(String name, List<String> own) {
        if (catalogue != null && catalogue.find(name).isEmpty()) {
            own.add("unknown policy \"" + name + "\"; known policies: " + String.join(", ", catalogue.names()));
        }
    }

    private void once(String operation, String place, List<String> own) {
        String other = places.putIfAbsent(operation, place);
        if (other != null && !other.equals(place)) {
            own.add("duplicate operation name \"" + operation + "\", also used by " + other
                    + ": their records would conflict. Rename one");
        }
    }

    private void told(String place, List<String> own) {
        own.forEach(fault -> faults.add(place + ": " + fault));
    }

    void refuse() {
        if (!faults.isEmpty()) {
            throw new SemelException.Misconfigured("Semel's annotations", faults);
        }
    }
}
