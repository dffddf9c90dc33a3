package dev.semel.server.delivery;

import dev.semel.console.admin.DeliveryAttempt;
import dev.semel.console.admin.DeliveryAttempt.DeliveryResult;
import dev.semel.console.admin.ServerActions.DestinationState;
import dev.semel.operator.Operator;
import dev.semel.server.routing.ServerChannels;
import dev.semel.store.AuditFilter;
import dev.semel.store.AuditRow;
import dev.semel.store.Switchboard;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * How deliveries to one destination went on all nodes, as the ledger tells it.
 *
 * @param lastSuccess null when the newest events tell of none
 * @param failingSince the first of the failures since then; null when the last attempt succeeded, or the newest events tell of none
 * @param pause why its channel is paused for all tenants: it was switched off, or its credentials were rejected; null when it is not
 * @param attempts the newest ones, newest first
 */
public record DestinationReport(
        String name,
        @Nullable Instant lastSuccess,
        @Nullable Instant failingSince,
        Switchboard.@Nullable Pause pause,
        List<AttemptRecord> attempts) {

    /** So many attempts are looked at. */
    private static final int MOST = 1_000;

    private static final int NEWEST_EVENTS = 1_000;

    public DestinationReport {
        attempts = List.copyOf(attempts);
    }

    /** @param shown at most so many attempts */
    public static DestinationReport of(Operator operator, String name, int shown) {
        String channel = ServerChannels.destination(name);
        List<AttemptRecord> attempts = DestinationHistory.attempts(operator, channel, Math.max(MOST, shown));
        Instant lastSuccess = null;
        Instant failingSince = null;
        for (AttemptRecord attempt : attempts) {
            if (attempt.result().failure() == null) {
                lastSuccess = attempt.ended();
                break;
            }
            failingSince = attempt.ended();
        }
        Switchboard.Pause pause = operator.modes().pauses().stream()
                .filter(each -> each.operation().equals(channel) && each.tenant() == null)
                .findFirst()
                .orElse(null);
        return new DestinationReport(
                name, lastSuccess, failingSince, pause, attempts.subList(0, Math.min(shown, attempts.size())));
    }

    /** The same for the API for operators. */
    public DestinationState state() {
        return new DestinationState(
                lastSuccess,
                failingSince,
                pause,
                attempts.stream().map(DestinationReport::attempt).toList());
    }

    private static DeliveryAttempt attempt(AttemptRecord attempt) {
        AttemptRecord.AttemptResult result = attempt.result();
        return new DeliveryAttempt(
                attempt.record(),
                attempt.attempt(),
                attempt.ended(),
                attempt.duration(),
                new DeliveryResult(result.status(), result.failure(), result.answer()));
    }

    /** The destinations for which something waits, that are paused, or of which the newest events of the ledger tell. */
    public static Set<String> names(Operator operator) {
        Set<String> names = new TreeSet<>();
        operator.channelNames()
                .forEach(channel -> ServerChannels.destinationOf(channel).ifPresent(names::add));
        AuditFilter all = new AuditFilter(null, null, null, null);
        for (AuditRow row : operator.events(all, AuditRow.Position.END, NEWEST_EVENTS)) {
            String operation = row.entry().subject().operation();
            if (operation != null) {
                ServerChannels.destinationOf(operation).ifPresent(names::add);
            }
        }
        return names;
    }
}
