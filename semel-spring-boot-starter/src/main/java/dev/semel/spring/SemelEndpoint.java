package dev.semel.spring;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.operator.ChannelState;
import dev.semel.operator.Operator;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The Actuator's endpoint {@code semel}: what waits and what is switched off, and the switches. Each change needs a reason and
 * is written into the audit with the name of who made it. It only shows unless {@code management.endpoint.semel.access} is
 * {@code unrestricted}.
 */
@Endpoint(id = "semel", defaultAccess = Access.READ_ONLY)
public final class SemelEndpoint {
    private final Store store;
    private final Operator operator;

    SemelEndpoint(Store store, Operator operator) {
        this.store = store;
        this.operator = operator;
    }

    /** How things stand. */
    public record State(String store, List<ModeSet> modes, List<ChannelStanding> channels) {}

    /**
     * A mode that is set.
     *
     * @param tenant absent for all
     * @param operation absent for all
     */
    public record ModeSet(@Nullable String tenant, @Nullable String operation, Mode mode) {}

    /** A channel of which something waits, runs, is UNKNOWN or is paused. */
    public record ChannelStanding(
            String name, Mode mode, @JsonUnwrapped Messages messages, List<Paused> paused) {}

    /**
     * The messages of a channel; shown as fields of the channel.
     *
     * @param dueSince since when the one that waits longest could have been handled; absent when nothing is due
     * @param unknown how many may have taken effect and need a reconciler or a person
     */
    public record Messages(long waiting, @Nullable Instant dueSince, long unknown, long parkedLanes) {}

    /**
     * A pause.
     *
     * @param tenant absent for all
     */
    public record Paused(@Nullable String tenant, String reason, Instant since) {}

    @ReadOperation
    public State state() {
        List<ModeSet> modes = operator.modes().settings().stream()
                .map(each -> new ModeSet(each.tenant(), each.operation(), each.mode()))
                .toList();
        return new State(
                store.name(),
                modes,
                operator.channels().stream().map(SemelEndpoint::shown).toList());
    }

    private static ChannelStanding shown(ChannelState state) {
        long due = state.backlog().oldestDue();
        return new ChannelStanding(
                state.operation(),
                state.mode(),
                new Messages(
                        state.backlog().waiting(),
                        due == Status.NEVER ? null : Instant.ofEpochMilli(due),
                        state.unknown(),
                        state.backlog().parkedLanes()),
                state.pauses().stream()
                        .map(pause -> new Paused(pause.tenant(), pause.reason(), Instant.ofEpochMilli(pause.since())))
                        .toList());
    }

    /**
     * Switches.
     *
     * @param action {@code mode}, {@code pause} or {@code resume}
     * @param operation whose mode or which channel; for {@code mode} absent for all
     * @param tenant absent for all
     * @param mode for {@code mode}: LIVE, SHADOW or HALTED
     * @param reason for the audit
     */
    // Spring Boot 3.5 takes for optional what carries the older annotation, Spring Boot 4 what carries the other.
    @SuppressWarnings("deprecation")
    @WriteOperation
    public State change(
            @Selector String action,
            @org.springframework.lang.Nullable @Nullable String operation,
            @org.springframework.lang.Nullable @Nullable String tenant,
            @org.springframework.lang.Nullable @Nullable String mode,
            String reason,
            SecurityContext security) {
        Principal principal = security.getPrincipal();
        try {
            Operator.Warrant warrant =
                    new Operator.Warrant(principal == null ? "actuator" : principal.getName(), reason);
            switch (action) {
                case "mode" -> operator.setMode(new Switchboard.Setting(tenant, operation, mode(mode)), warrant);
                case "pause" -> operator.pause(channel(operation), tenant, warrant);
                case "resume" -> operator.resume(channel(operation), tenant, warrant);
                default -> throw refused("There is no action \"" + action + "\": use mode, pause or resume.");
            }
        } catch (SemelException.Invalid e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        return state();
    }

    private static Mode mode(@Nullable String text) {
        try {
            return Mode.valueOf(String.valueOf(text).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused("The mode is \"" + text + "\": use LIVE, SHADOW or HALTED.");
        }
    }

    private static String channel(@Nullable String operation) {
        if (operation == null) {
            throw refused("No channel is named: give its name as operation.");
        }
        return operation;
    }

    private static InvalidEndpointRequestException refused(String message) {
        return new InvalidEndpointRequestException(message, message);
    }
}
