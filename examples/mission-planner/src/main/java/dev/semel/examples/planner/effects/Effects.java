package dev.semel.examples.planner.effects;

import dev.semel.Call;
import dev.semel.Channel;
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
        send(caller, Jobs.SEARCH, cause, new Jobs.IndexMission(mission, version));
        refresh(caller, project, cause);
    }

    public void assignmentChanged(Caller caller, String project, String assignment, long version) {
        refresh(caller, project, "assignment/" + assignment + "@" + version);
    }

    /** @param cause the resource and its version; a person is notified once for each */
    public void tell(Caller caller, String cause, String person, String words) {
        send(caller, Jobs.NOTIFICATIONS, cause, new Jobs.TellPerson(person, words));
    }

    private void refresh(Caller caller, String project, String cause) {
        send(caller, Jobs.DASHBOARD, project + "/" + cause, new Jobs.RefreshDashboard(project, cause));
        // Once, after the commit; not for a replay or a failed write.
        IdempotentExchange.current()
                .ifPresent(
                        exchange -> exchange.afterFirstCommit(() -> dashboards.forget(caller.organisation(), project)));
    }

    private <P> void send(Caller caller, Channel<P> channel, String resource, P payload) {
        Call.Origin origin = Call.Origin.UNSTATED.withActor(caller.person(), "user");
        String correlation = IdempotentExchange.current()
                .map(IdempotentExchange::correlationId)
                .orElse(null);
        semel.send(
                        channel,
                        Message.of(caller.tenant(), Jobs.key(caller.tenant(), channel, resource), payload)
                                .withOrigin(correlation == null ? origin : origin.withCorrelationId(correlation)))
                .orThrow();
    }
}
