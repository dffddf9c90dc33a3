package dev.semel.console.admin;

import dev.semel.Mode;
import dev.semel.audit.Redactor;
import dev.semel.console.admin.AdminEndpoint.AdminReply;
import dev.semel.console.admin.AdminEndpoint.AdminReply.OneObject;
import dev.semel.console.rest.ApiCode;
import dev.semel.console.rest.ApiProblem;
import dev.semel.operator.ChannelCensus;
import dev.semel.operator.ChannelState;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Status;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Modes;
import dev.semel.store.Switchboard.Pause;
import dev.semel.store.Switchboard.Setting;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Channels and modes: how they stand, pauses, and the switch between LIVE, SHADOW and HALTED. */
final class ChannelControls {
    /** Channels of everybody, such as that of replay jobs. */
    private static final String OF_SEMEL = "semel.";

    private final AdminLedger ledger;

    ChannelControls(AdminLedger ledger) {
        this.ledger = ledger;
    }

    AdminReply list(AdminCall call) {
        ChannelCensus census = ledger.operator().channelCensus(call.sight().own());
        ChannelActivity activity =
                ChannelActivity.of(ledger.overviews(), call.sight().own());
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put(
                "channels",
                census.states(ledger.operator().modes()).stream()
                        .map(each -> facts(each, census.complete(), activity, call.sight()))
                        .toList());
        facts.put("complete", census.complete());
        return new OneObject(facts);
    }

    private static Map<String, Object> facts(
            ChannelState channel, boolean complete, ChannelActivity activity, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", channel.operation());
        facts.put("waiting", channel.backlog().waiting());
        facts.put("more_waiting", !complete);
        if (channel.backlog().oldestDue() != Status.NEVER) {
            facts.put(
                    "oldest_due",
                    Instant.ofEpochMilli(channel.backlog().oldestDue()).toString());
        }
        facts.put("parked_lanes", channel.backlog().parkedLanes());
        facts.put("unknown", channel.unknown());
        activity.addTo(facts, channel.operation());
        facts.put("mode", channel.mode().name());
        facts.put(
                "pauses",
                channel.pauses().stream().map(each -> facts(each, sight)).toList());
        return facts;
    }

    /** The reason of a pause of all tenants may tell of another one. */
    private static Map<String, Object> facts(Pause pause, TenantSight sight) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", pause.operation());
        facts.put("tenant", all(pause.tenant()));
        if (sight.seesAll() || pause.tenant() != null) {
            facts.put("reason", Redactor.text(pause.reason()));
        }
        facts.put("since", Instant.ofEpochMilli(pause.since()).toString());
        facts.put("probe_ms", pause.probeMillis());
        return facts;
    }

    private static String all(@Nullable String name) {
        return name == null ? "*" : name;
    }

    AdminReply pause(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        String channel = channel(call);
        String tenant = actedOn(call, "A pause of the whole channel");
        if (!call.flag("even_if_unknown")) {
            new KnownNames(ledger, call.sight()).demand(channel);
        }
        long version = ledger.operator().pause(channel, tenant, warrant);
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", channel);
        facts.put("tenant", all(tenant));
        facts.put("version", version);
        return new OneObject(facts);
    }

    AdminReply resume(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        String channel = channel(call);
        String tenant = actedOn(call, "A pause of the whole channel");
        if (!ledger.operator().resume(channel, tenant, warrant)) {
            throw new ApiProblem(
                    AdminCode.ACTION_REFUSED,
                    channel + (tenant == null ? "" : " (tenant " + tenant + ")")
                            + " was not paused: nothing was changed.");
        }
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("channel", channel);
        facts.put("tenant", all(tenant));
        return new OneObject(facts);
    }

    private static String channel(AdminCall call) throws ApiProblem {
        String channel = call.operation("channel");
        if (channel == null) {
            throw AdminCall.invalid("channel", "is missing");
        }
        return channel;
    }

    /** The tenant that is named; without one the action concerns all, for which a person of one tenant may not act. */
    private static @Nullable String actedOn(AdminCall call, String what) throws ApiProblem {
        String named = call.text("tenant");
        if (named == null) {
            call.sight().demandAll(what);
        }
        return call.sight().limit(named);
    }

    AdminReply modes(AdminCall call) {
        TenantSight sight = call.sight();
        Modes modes = ledger.operator().modes();
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("version", modes.version());
        facts.put(
                "settings",
                modes.settings().stream()
                        .filter(each -> each.tenant() == null || sight.sees(each.tenant()))
                        .map(ChannelControls::facts)
                        .toList());
        facts.put(
                "pauses",
                modes.pauses().stream()
                        .filter(each -> each.tenant() == null ? isShown(each, sight) : sight.sees(each.tenant()))
                        .map(each -> facts(each, sight))
                        .toList());
        return new OneObject(facts);
    }

    /** The name of a channel tells of its tenants: somebody of one is told of pauses of all tenants where it has messages itself. */
    private boolean isShown(Pause ofAll, TenantSight sight) {
        return sight.seesAll()
                || ofAll.operation().startsWith(OF_SEMEL)
                || ledger.operator().channelCensus(sight.own()).names().contains(ofAll.operation());
    }

    private static Map<String, Object> facts(Setting setting) {
        Map<String, Object> facts = new LinkedHashMap<>();
        Group group = setting.group();
        if (group == null) {
            facts.put("operation", all(setting.operation()));
        } else {
            facts.put(group.by() == Group.By.PREFIX ? "prefix" : "label", group.text());
        }
        facts.put("tenant", all(setting.tenant()));
        facts.put("mode", setting.mode().name());
        return facts;
    }

    AdminReply setMode(AdminCall call) throws ApiProblem {
        Warrant warrant = call.warrant();
        Mode mode = AdminCall.constant("mode", call.demandText("mode"), Mode.class);
        String tenant = actedOn(call, "A mode of all tenants");
        Setting setting = setting(call, tenant, mode);
        boolean wait = call.flag("wait");
        if (!call.flag("even_if_unknown")) {
            new KnownNames(ledger, call.sight()).demand(setting);
        }
        long version = ledger.operator().setMode(setting, warrant);
        if (wait) {
            await();
        }
        Map<String, Object> facts = facts(setting);
        facts.put("version", version);
        facts.put("waited", wait);
        return new OneObject(facts);
    }

    private static Setting setting(AdminCall call, @Nullable String tenant, Mode mode) throws ApiProblem {
        String operation = call.operation("operation");
        String prefix = call.text("prefix");
        String label = call.text("label");
        if (Stream.of(operation, prefix, label).filter(Objects::nonNull).count() > 1) {
            throw new ApiProblem(
                    ApiCode.INVALID,
                    "operation, prefix and label exclude each other: give one of them. Nothing was done.");
        }
        if (operation == null) {
            call.sight().demand(dev.semel.console.access.Role.ADMIN);
        }
        if (prefix != null) {
            return Setting.forGroup(tenant, new Group(Group.By.PREFIX, prefix), mode);
        }
        return label != null
                ? Setting.forGroup(tenant, new Group(Group.By.LABEL, label), mode)
                : new Setting(tenant, operation, mode);
    }

    private void await() throws ApiProblem {
        try {
            ledger.operator().awaitModes();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiProblem(
                    ApiCode.STORE_UNAVAILABLE,
                    "The mode is set, but the wait was interrupted; it applies on every node within a second.");
        }
    }
}
