package dev.semel.console.admin;

import dev.semel.console.rest.ApiProblem;
import dev.semel.store.RecordFilter;
import dev.semel.store.State;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Setting;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Which names of operations and channels exist for a person: one that does not is probably mistyped. */
record KnownNames(AdminLedger ledger, TenantSight sight) {
    private static final int NEWEST = 500;

    /** @throws ApiProblem when nothing of the operation exists for the person */
    void demand(String operation) throws ApiProblem {
        boolean known = sight.seesAll() ? ledger.operator().knows(operation) : hasRecords(operation);
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
        } else if (group.by() == Group.By.PREFIX && !knows(group)) {
            throw unknown("an operation whose name begins with " + group.text());
        }
    }

    private boolean knows(Group group) {
        if (sight.seesAll()) {
            return ledger.operator().knows(group);
        }
        return Arrays.stream(State.values())
                .flatMap(state -> ledger
                        .operator()
                        .list(
                                state,
                                new RecordFilter(sight.own(), null, false, Long.MAX_VALUE),
                                RecordFilter.Cursor.START,
                                NEWEST)
                        .stream())
                .anyMatch(row -> group.contains(row.header().operation(), Set.of()));
    }

    private boolean hasRecords(String operation) {
        RecordFilter own = new RecordFilter(sight.own(), operation, false, Long.MAX_VALUE);
        return Arrays.stream(State.values())
                .anyMatch(state -> ledger.store().ledger().tally(state, own, 1).count() > 0);
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
