package dev.semel.console.admin;

import dev.semel.console.rest.ApiProblem;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Setting;
import java.util.Set;
import java.util.TreeSet;

/** Which names of operations and channels exist for a person: one that does not is probably mistyped. */
record KnownNames(AdminLedger ledger, TenantSight sight) {
    /** @throws ApiProblem when nothing of the operation exists for the person */
    void demand(String operation) throws ApiProblem {
        boolean known = ledger.operator().knows(operation, sight.own());
        if (!known) {
            throw unknown(operation);
        }
    }

    /** @throws ApiProblem when nothing of what the setting is for exists for the person */
    void demand(Setting setting) throws ApiProblem {
        Group group = setting.group();
        if (group == null) {
            if (setting.operation() != null) {
                demand(setting.operation());
            }
        } else if (group.by() == Group.By.PREFIX && !ledger.operator().knows(group, sight.own())) {
            throw unknown("an operation whose name begins with " + group.text());
        }
    }

    private ApiProblem unknown(String name) {
        Set<String> channels = sight.seesAll() ? ledger.operator().channelNames() : new TreeSet<>();
        return new ApiProblem(
                AdminCode.ACTION_REFUSED,
                "The ledger has no record of " + name + ": nothing was changed. "
                        + (channels.isEmpty() ? "" : "Channels with messages: " + String.join(", ", channels) + ". ")
                        + "Correct the name, or add --even-if-unknown if it is correct.");
    }
}
