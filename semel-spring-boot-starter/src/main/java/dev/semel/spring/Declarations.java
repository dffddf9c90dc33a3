package dev.semel.spring;

import dev.semel.AtomicContext;
import dev.semel.Channel;
import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** What the beans of the context declare, checked together: every fault is named before anything runs. */
final class Declarations {
    private final Expressions expressions;
    private final @Nullable Catalogue catalogue;
    private final boolean inDataSource;
    private final @Nullable String unprotected;
    private final List<String> faults = new ArrayList<>();
    private final Map<String, String> places = new HashMap<>();

    /**
     * @param catalogue absent when it is not known which policies there are
     * @param inDataSource whether the ledger is where the application's own writes go
     * @param unprotected why nothing protects routes; absent when something does
     */
    Declarations(
            Expressions expressions,
            @Nullable Catalogue catalogue,
            boolean inDataSource,
            @Nullable String unprotected) {
        this.expressions = expressions;
        this.catalogue = catalogue;
        this.inDataSource = inDataSource;
        this.unprotected = unprotected;
    }

    /** Faults that were found elsewhere, to be told with the others. */
    void add(List<String> others) {
        faults.addAll(others);
    }

    void check(List<Declared<Idempotent>> methods) {
        for (Declared<Idempotent> each : methods) {
            List<String> own = new ArrayList<>();
            if (each.annotation().key().isEmpty() && RouteRules.isRoute(each.method())) {
                route(each.annotation(), own);
                synchronous(each.annotation(), each.method(), own);
                told("@Idempotent " + each.place(), own);
                continue;
            }
            IdempotentMethod.of(each.type(), each.method(), each.annotation(), expressions, own);
            policy(each.annotation().policy(), own);
            if (each.annotation().form() == Idempotent.Form.ATOMIC) {
                demandDataSource(each.method(), own);
            }
            once(each.annotation().value(), each.place(), own);
            told("@Idempotent " + each.place(), own);
        }
    }

    /** What is said of a class is said of all its routes, and of nothing else. */
    void checkClasses(List<Class<?>> types) {
        for (Class<?> type : types) {
            Idempotent said =
                    Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(type, Idempotent.class));
            Set<Method> routes = MethodIntrospector.selectMethods(type, (Method method) -> RouteRules.isRoute(method));
            List<String> own = new ArrayList<>();
            if (routes.isEmpty()) {
                own.add("it maps no requests, and of methods that do not it says nothing: annotate each of them");
            } else if (!said.key().isEmpty()) {
                own.add("it gives a key, which is a method's: requests bring their own, so leave it out");
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

    /** A controller's method: the key comes with the request. */
    private void route(Idempotent said, List<String> own) {
        policy(said.policy(), own);
        if (unprotected != null && said.header() != Idempotent.Header.OFF) {
            own.add("it is a route, and nothing keeps its requests from running twice: " + unprotected);
        }
        if (!said.value().isEmpty()
                || !said.payload().isEmpty()
                || !said.tenant().isEmpty()) {
            own.add(
                    "it gives a name, a payload or a tenant, but no key: requests bring their own, so leave all of these"
                            + " out, or give a key to have the method itself run once");
        }
        IdempotentMethod.patience(said, own);
        if (isBound(said) && !inDataSource) {
            own.add("its level is " + said.level() + ", but the ledger has a store of its own (semel.store), so that"
                    + " nothing ties its effect to the ledger: use PLAIN, or remove semel.store");
        }
    }

    private static boolean isBound(Idempotent said) {
        return said.level() == Idempotent.Level.SPAN || said.level() == Idempotent.Level.MARKER;
    }

    private static void synchronous(Idempotent said, Method method, List<String> own) {
        if (isBound(said) && RouteRules.isAsynchronous(method)) {
            own.add("its level is " + said.level()
                    + ", but it answers asynchronously, so that its transaction is on another"
                    + " thread: use PLAIN, or return the result itself");
        }
    }

    void check(List<Declared<SemelChannel>> methods, ChannelMethods channels) {
        for (Declared<SemelChannel> each : methods) {
            List<String> own = new ArrayList<>();
            Channel<?> channel = channels.add(each, own);
            if (channel != null) {
                policy(channel.definition().operation().policy(), own);
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
                        "ChannelCapacity of \"" + name + "\": no @SemelChannel method handles a channel of that name"));
    }

    private void demandDataSource(Method method, List<String> own) {
        boolean takesContext = Arrays.asList(method.getParameterTypes()).contains(AtomicContext.class);
        if (!inDataSource && !takesContext) {
            own.add("it is atomic, but the ledger has a store of its own (semel.store), so that what the method writes"
                    + " would not commit with its record: remove semel.store, declare form = LEASED, or take an AtomicContext"
                    + " and write with its connection");
        }
    }

    private void policy(String name, List<String> own) {
        if (catalogue != null && catalogue.find(name).isEmpty()) {
            own.add("no policy is called \"" + name + "\"; there are " + String.join(", ", catalogue.names()));
        }
    }

    private void once(String operation, String place, List<String> own) {
        String other = places.putIfAbsent(operation, place);
        if (other != null && !other.equals(place)) {
            own.add("its name \"" + operation + "\" is also that of " + other + ": records of the two would meet");
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
