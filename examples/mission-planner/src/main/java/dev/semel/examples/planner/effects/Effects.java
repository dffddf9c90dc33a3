package dev.semel.examples.planner.effects;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Semel;
import dev.semel.examples.planner.access.Caller;
import dev.semel.http.IdempotentExchange;
import org.springframework.stereotype.Component;

/**
 * Messages that follow from a write. They are sent in the transaction of the write, so that they are delivered only if it commits, and
 * only for the organisation of the caller.
 */
@Component
public class Effects {
    private final Semel semel;
    private final Dashboards dashboards;

    Effects(Semel semel, Dashboards dashboards) {
        this.semel = semel;
        this.dashboards = dashboards;
    }

    public void missionChanged(Caller caller, String project, String mission, long version) {
        String cause = "mission/" + mission + "@" + version;
        send(caller, Jobs.SEARCH, cause, version, new Jobs.IndexMission(mission, version, by(caller)));
        refresh(caller, project, cause, version);
    }

    public void assignmentChanged(Caller caller, String project, String assignment, long version) {
        refresh(caller, project, "assignment/" + assignment + "@" + version, version);
    }

    /** @param cause the resource, of which a person is notified once for each version */
    public void tell(Caller caller, String cause, long version, String person, String words) {
        String resource = cause + "@" + version;
        send(caller, Jobs.NOTIFICATIONS, resource, version, new Jobs.TellPerson(person, words, by(caller)));
    }

    // region send
    /** @return whether it is new; the same words are announced once, whoever says them and under whatever request key */
    public boolean announce(Caller caller, String words) {
        Key key = Jobs.hashKey(caller.tenant(), Jobs.ANNOUNCEMENTS, words);
        Message<Jobs.Announce> message = Message.of(caller.tenant(), key, new Jobs.Announce(words, by(caller)));
        return semel.send(Jobs.ANNOUNCEMENTS, message.withOrigin(origin(caller)))
                .orThrow()
                .first();
    }
    // endregion

    private void refresh(Caller caller, String project, String cause, long version) {
        Jobs.RefreshDashboard message = new Jobs.RefreshDashboard(project, cause, by(caller));
        send(caller, Jobs.DASHBOARD, project + "/" + cause, version, message);
        // Once, after the commit; not for a replay or a failed write.
        IdempotentExchange.current()
                .ifPresent(
                        exchange -> exchange.afterFirstCommit(() -> dashboards.forget(caller.organisation(), project)));
    }

    private <P> void send(Caller caller, Channel<P> channel, String resource, long version, P payload) {
        Key key = Jobs.key(caller.tenant(), channel, resource);
        semel.send(
                        channel,
                        Message.of(caller.tenant(), key, payload)
                                .withOrigin(origin(caller).withAggregateVersion(version)))
                .orThrow();
    }

    /** For the effect itself. */
    private static Jobs.RequestedBy by(Caller caller) {
        return new Jobs.RequestedBy(
                caller.person(),
                IdempotentExchange.current().map(IdempotentExchange::requestId).orElse(null));
    }

    /** For Semel, which writes it into every audit event of the job. */
    private static Call.Origin origin(Caller caller) {
        Call.Origin origin = Call.Origin.UNSTATED.withActor(caller.person(), "user");
        return IdempotentExchange.current()
                .map(exchange -> origin.withSource("http")
                        .withRequestId(exchange.requestId())
                        .withCorrelationId(exchange.correlationId()))
                .orElse(origin);
    }
}
