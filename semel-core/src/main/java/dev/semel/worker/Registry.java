package dev.semel.worker;

import dev.semel.AtomicHandler;
import dev.semel.Channel;
import dev.semel.LeasedHandler;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Reconciler;
import dev.semel.SemelException;
import dev.semel.policy.Catalogue;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The operations this node knows, with the handlers and reconcilers that were registered for them. */
public final class Registry {
    private final Map<String, RegisteredOperation<?, ?>> known = new ConcurrentHashMap<>();

    /** One operation with its local handlers. */
    public record RegisteredOperation<P, R>(
            Operation<P, R> operation,
            @Nullable AtomicHandler<P, R> atomic,
            @Nullable LeasedHandler<P, R> leased,
            @Nullable Reconciler<P, R> reconciler,
            Channel.Capacity capacity) {

        /** Whether a run that was interrupted may be run again: always, if a transaction took it all back. */
        boolean mayRepeat(Policy policy) {
            return operation instanceof Operation.Atomic || ((Operation.Leased<P, R>) operation).isRepeatable(policy);
        }
    }

    /** Remembers that the operation exists, so that its expired leases are looked after. */
    public void seen(Operation<?, ?> operation) {
        if (!known.containsKey(operation.name())) {
            known.putIfAbsent(
                    operation.name(), new RegisteredOperation<>(operation, null, null, null, Channel.Capacity.DEFAULT));
        }
    }

    public <P, R> RegisteredOperation<P, R> handle(
            Operation.Atomic<P, R> operation, Channel.Capacity capacity, AtomicHandler<P, R> handler) {
        known.compute(operation.name(), (name, old) -> {
            refuseAnother(operation, old);
            refuseSecond("handler", name, old != null && old.atomic() != null);
            return new RegisteredOperation<>(operation, handler, null, null, capacity);
        });
        return Objects.requireNonNull(find(operation));
    }

    public <P, R> RegisteredOperation<P, R> handle(
            Operation.Leased<P, R> operation, Channel.Capacity capacity, LeasedHandler<P, R> handler) {
        known.compute(operation.name(), (name, old) -> {
            refuseAnother(operation, old);
            refuseSecond("handler", name, old != null && old.leased() != null);
            return new RegisteredOperation<>(operation, null, handler, reconcilerOf(old), capacity);
        });
        return Objects.requireNonNull(find(operation));
    }

    public <P, R> void reconcile(Operation.Leased<P, R> operation, Reconciler<P, R> reconciler) {
        known.compute(operation.name(), (name, old) -> {
            refuseAnother(operation, old);
            refuseSecond("reconciler", name, old != null && old.reconciler() != null);
            Channel.Capacity capacity = old == null ? Channel.Capacity.DEFAULT : old.capacity();
            return new RegisteredOperation<>(operation, null, leasedOf(old), reconciler, capacity);
        });
    }

    /** Remembers an operation whose deaths are handled here. */
    public void demandSame(Operation<?, ?> operation) {
        refuseAnother(operation, known.get(operation.name()));
        seen(operation);
    }

    private static void refuseSecond(String what, String operation, boolean present) {
        if (present) {
            throw new SemelException.Invalid(
                    "Operation " + operation + " has a " + what + " already. Register one, once, at start-up.");
        }
    }

    /** One name is one operation: records of the two would be given to each other's handlers. */
    private static void refuseAnother(Operation<?, ?> operation, @Nullable RegisteredOperation<?, ?> old) {
        if (old != null && !declared(operation).equals(declared(old.operation()))) {
            throw new SemelException.Invalid("Operation " + operation.name() + " is declared twice: as "
                    + declared(old.operation()) + ", and as " + declared(operation)
                    + ". Its records are found by its name: use one declaration, or two names.");
        }
    }

    private static String declared(Operation<?, ?> operation) {
        Operation.Definition<?, ?> definition = operation.definition();
        return (operation instanceof Operation.Atomic ? "atomic from " : "leased from ")
                + definition.payload().name() + " to "
                + definition.result().name();
    }

    @SuppressWarnings("unchecked") // An operation's name belongs to one declaration: payload and result are the same.
    private static <P, R> @Nullable Reconciler<P, R> reconcilerOf(@Nullable RegisteredOperation<?, ?> old) {
        return old == null ? null : (Reconciler<P, R>) old.reconciler();
    }

    @SuppressWarnings("unchecked") // As above.
    private static <P, R> @Nullable LeasedHandler<P, R> leasedOf(@Nullable RegisteredOperation<?, ?> old) {
        return old == null ? null : (LeasedHandler<P, R>) old.leased();
    }

    @SuppressWarnings("unchecked") // As above.
    public <P, R> @Nullable RegisteredOperation<P, R> find(Operation<P, R> operation) {
        return (RegisteredOperation<P, R>) known.get(operation.name());
    }

    @Nullable
    RegisteredOperation<?, ?> find(String operation) {
        return known.get(operation);
    }

    /** Whether a handler of the operation is registered here. */
    public boolean handles(String operation) {
        RegisteredOperation<?, ?> there = known.get(operation);
        return there != null && (there.atomic() != null || there.leased() != null);
    }

    /** How an operation was declared that is known here. */
    public Operation.@Nullable Definition<?, ?> definition(String operation) {
        RegisteredOperation<?, ?> there = known.get(operation);
        return there == null ? null : there.operation().definition();
    }

    /** The policy of an operation that is known here. */
    public @Nullable Policy policy(String operation, Catalogue catalogue) {
        RegisteredOperation<?, ?> there = known.get(operation);
        return there == null
                ? null
                : catalogue.get(there.operation().definition().policy());
    }

    /** Names of the operations that satisfy the condition. */
    Collection<String> all(Predicate<RegisteredOperation<?, ?>> condition) {
        return known.values().stream()
                .filter(condition)
                .map(each -> each.operation().name())
                .toList();
    }

    /** Names of the leased operations that satisfy the condition. */
    Collection<String> leased(Predicate<RegisteredOperation<?, ?>> condition) {
        return known.values().stream()
                .filter(each -> each.operation() instanceof Operation.Leased)
                .filter(condition)
                .map(each -> each.operation().name())
                .toList();
    }
}
