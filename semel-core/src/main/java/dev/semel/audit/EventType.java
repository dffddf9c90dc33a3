package dev.semel.audit;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types of audit events. Names are public; codes are stored: never renumber them. */
public enum EventType {
    OPERATION_QUEUED(1, "operation.queued"),
    OPERATION_EXECUTED(2, "operation.executed"),
    OPERATION_REPLAYED(3, "operation.replayed"),
    OPERATION_CONFLICT(4, "operation.conflict"),
    OPERATION_TAKEN_OVER(5, "operation.taken_over"),
    OPERATION_UNKNOWN(6, "operation.unknown"),
    OPERATION_RECONCILED(7, "operation.reconciled"),
    OPERATION_SHADOWED(8, "operation.shadowed"),
    RETRY_ATTEMPT(9, "retry.attempt"),
    RETRY_EXHAUSTED(10, "retry.exhausted"),
    SYSTEM_ERROR(11, "system.error"),
    MODE_CHANGED(12, "mode.changed"),
    CHANNEL_PAUSED(13, "channel.paused"),
    CHANNEL_RESUMED(14, "channel.resumed"),
    OPERATOR_REPLAYED(15, "operator.replayed"),
    OPERATOR_DISCARDED(16, "operator.discarded"),
    OPERATOR_FORGOT(17, "operator.forgot"),
    OPERATOR_LOGIN(18, "operator.login"),
    OPERATOR_DENIED(19, "operator.denied"),
    PURGE_COMPLETED(20, "purge.completed"),
    STORE_ADOPTED(21, "store.adopted"),
    DELIVERIES_CHECKED(22, "deliveries.checked"),
    SERVER_RELOAD(23, "server.reload"),
    DESTINATION_TESTED(24, "destination.tested");

    private static final Map<Integer, EventType> BY_CODE =
            Stream.of(values()).collect(Collectors.toMap(EventType::code, Function.identity()));
    private static final Map<String, EventType> ALIASES =
            Map.of("idempotency.record", OPERATION_EXECUTED, "idempotency.hit", OPERATION_REPLAYED);

    private final int code;
    private final String publicName;

    EventType(int code, String publicName) {
        this.code = code;
        this.publicName = publicName;
    }

    public int code() {
        return code;
    }

    /** As in the contract: {@code operation.executed}. */
    public String publicName() {
        return publicName;
    }

    /** The type of a stored code; a newer version's code has none. */
    public static Optional<EventType> of(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }

    /** By public name or alias. */
    public static Optional<EventType> named(String name) {
        return Stream.of(values())
                .filter(type -> type.publicName.equals(name))
                .findFirst()
                .or(() -> Optional.ofNullable(ALIASES.get(name)));
    }
}
