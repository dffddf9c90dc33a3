package dev.semel.spring;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.semel.CallStatus.CallStory;
import dev.semel.Cancellation;
import dev.semel.Mode;
import dev.semel.SemelException;
import dev.semel.Tenant;
import dev.semel.operator.CallStatuses;
import dev.semel.operator.ChannelState;
import dev.semel.operator.Operator;
import dev.semel.operator.StatusFacts;
import dev.semel.store.Status;
import dev.semel.store.Store;
import dev.semel.store.Switchboard;
import java.security.Principal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The Actuator endpoint {@code semel}: waiting messages, modes and pauses, where calls and messages stand, and actions to change
 * them. Each change needs a reason and is written to the audit with the name of its author. It is read-only unless {@code management.endpoint.semel.access} is
 * {@code unrestricted}.
 */
@Endpoint(id = "semel", defaultAccess = Access.READ_ONLY)
public final class SemelEndpoint {
    private final Store store;
    private final Operator operator;
    private final RouteLines routes;

    SemelEndpoint(Store store, Operator operator, RouteLines routes) {
        this.store = store;
        this.operator = operator;
        this.routes = routes;
    }

    /**
     * The state of the ledger.
     *
     * @param routes the routes of the application with their rules, as logged when it started
     */
    public record State(String store, List<ModeSet> modes, List<ChannelStatus> channels, List<ProtectedRoute> routes) {}

    /**
     * The rule of a route.
     *
     * @param route method and path
     * @param level span, marker or plain; - where the key is off
     * @param key required, optional or off
     * @param setBy what made the rule: annotation and properties, or default
     */
    public record ProtectedRoute(
            String route, String level, String key, boolean logOnly, String policy, String setBy) {}

    /**
     * A mode setting.
     *
     * @param tenant null for all tenants
     * @param operation null for all operations, or for a group
     * @param group a group of operations, such as {@code label side-effects}; null for one or for all
     */
    public record ModeSet(
            @Nullable String tenant,
            @Nullable String operation,
            @Nullable String group,
            Mode mode) {
        /** For one operation or for all. */
        public ModeSet(@Nullable String tenant, @Nullable String operation, Mode mode) {
            this(tenant, operation, null, mode);
        }
    }

    /** A channel that has waiting, running or UNKNOWN messages, or is paused. */
    public record ChannelStatus(
            String name, Mode mode, @JsonUnwrapped Messages messages, List<Paused> paused) {}

    /**
     * Message counts of a channel, shown as fields of the channel.
     *
     * @param dueSince when the longest waiting message became due; null when none is due
     * @param unknown the number of messages that may have taken effect and need a reconciler or a person
     */
    public record Messages(long waiting, @Nullable Instant dueSince, long unknown, long parkedLanes) {}

    /**
     * A pause.
     *
     * @param tenant null for all tenants
     */
    public record Paused(@Nullable String tenant, String reason, Instant since) {}

    /** Modes, channels and counts of this node's ledger. */
    @ReadOperation
    public State state() {
        List<ModeSet> modes =
                operator.modes().settings().stream().map(SemelEndpoint::shown).toList();
        return new State(
                store.name(),
                modes,
                operator.channels().stream().map(SemelEndpoint::shown).toList(),
                routes.all().stream()
                        .map(each -> new ProtectedRoute(
                                each.route(), each.level(), each.key(), each.logOnly(), each.policy(), each.setBy()))
                        .toList());
    }

    private static ModeSet shown(Switchboard.Setting setting) {
        Switchboard.Group group = setting.group();
        return group == null
                ? new ModeSet(setting.tenant(), setting.operation(), null, setting.mode())
                : new ModeSet(setting.tenant(), null, group.toString(), setting.mode());
    }

    private static ChannelStatus shown(ChannelState state) {
        long due = state.backlog().oldestDue();
        return new ChannelStatus(
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
     * Changes a mode, or pauses or resumes a channel.
     *
     * @param action {@code mode}, {@code pause} or {@code resume}
     * @param operation the operation or the channel; null for all operations with {@code mode}
     * @param tenant null for all tenants
     * @param mode for {@code mode}: LIVE, SHADOW or HALTED
     * @param reason for the audit
     */
    @SuppressWarnings("deprecation") // Spring Boot 3.5 and 4 read different annotations for optional parameters
    @WriteOperation
    public State change(
            @Selector String action,
            @org.springframework.lang.Nullable @Nullable String operation,
            @org.springframework.lang.Nullable @Nullable String tenant,
            @org.springframework.lang.Nullable @Nullable String mode,
            String reason,
            SecurityContext security) {
        try {
            Operator.Warrant warrant = new Operator.Warrant(actor(security), reason);
            switch (action) {
                case "mode" -> operator.setMode(new Switchboard.Setting(tenant, operation, mode(mode)), warrant);
                case "pause" -> operator.pause(channel(operation), tenant, warrant);
                case "resume" -> operator.resume(channel(operation), tenant, warrant);
                default -> throw refused("Unknown action \"" + action + "\": use mode, pause or resume.");
            }
        } catch (SemelException.Invalid e) {
            throw refused(String.valueOf(e.getMessage()));
        }
        return state();
    }

    /**
     * Where a call or message stands, or all that one correlation id caused: what {@code semel ops status --json} prints, but of a failure
     * its category only. A stored reason may be the message of any exception, of any tenant.
     *
     * @param view {@code status}
     * @param record the record id, or else
     * @param tenant and
     * @param correlation the correlation id
     * @return null when there is no such record
     */
    @SuppressWarnings("deprecation") // Spring Boot 3.5 and 4 read different annotations for optional parameters
    @ReadOperation
    public @Nullable Map<String, Object> status(
            @Selector String view,
            @org.springframework.lang.Nullable @Nullable String record,
            @org.springframework.lang.Nullable @Nullable String tenant,
            @org.springframework.lang.Nullable @Nullable String correlation) {
        boolean byRecord = record != null && tenant == null && correlation == null;
        boolean byCorrelation = record == null && tenant != null && correlation != null;
        if (!view.equals("status") || byRecord == byCorrelation) {
            throw refused("Use status with record, or with tenant and correlation.");
        }
        CallStatuses calls = operator.calls().forClient((operation, key) -> true);
        try {
            if (byRecord) {
                return calls.find(null, String.valueOf(record))
                        .map(StatusFacts::of)
                        .orElse(null);
            }
            CallStory story = calls.story(Tenant.of(String.valueOf(tenant)), String.valueOf(correlation));
            return story.calls().isEmpty() ? null : StatusFacts.of(story);
        } catch (SemelException.Invalid e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Cancels a call or message that has not started: what {@code semel ops cancel --json} does.
     *
     * @param action {@code cancel}
     * @param record the record id
     * @param reason for the audit
     */
    @WriteOperation
    public Map<String, Object> cancel(
            @Selector String action, @Selector String record, String reason, SecurityContext security) {
        if (!action.equals("cancel")) {
            throw refused("Unknown action \"" + action + "\": use cancel.");
        }
        try {
            return StatusFacts.of(operator.calls().cancel(null, record, Cancellation.by(actor(security), reason)));
        } catch (SemelException.Invalid e) {
            throw refused(String.valueOf(e.getMessage()));
        }
    }

    private static String actor(SecurityContext security) {
        Principal principal = security.getPrincipal();
        return principal == null ? "actuator" : principal.getName();
    }

    private static Mode mode(@Nullable String text) {
        try {
            return Mode.valueOf(String.valueOf(text).toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused("Unknown mode \"" + text + "\": use LIVE, SHADOW or HALTED.");
        }
    }

    private static String channel(@Nullable String operation) {
        if (operation == null) {
            throw refused("The channel is missing: pass its name as operation.");
        }
        return operation;
    }

    private static InvalidEndpointRequestException refused(String message) {
        return new InvalidEndpointRequestException(message, message);
    }
}
