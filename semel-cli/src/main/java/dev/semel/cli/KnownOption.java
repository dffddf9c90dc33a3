package dev.semel.cli;

import dev.semel.operator.Operator;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Setting;
import java.util.Set;
import picocli.CommandLine.Option;

/** Rejects a name of an operation or a channel that the ledger does not know, because it is probably mistyped. */
final class KnownOption {
    @Option(
            names = "--even-if-unknown",
            description = "Accept a name without a record in the ledger, such as one for later use.")
    private boolean evenIfUnknown;

    /** @throws CheckFailed when the ledger does not know what the setting is for and the option is not set */
    void demand(Operator operator, Setting setting) {
        Group group = setting.group();
        if (group == null) {
            if (setting.operation() != null) {
                demand(operator, setting.operation());
            }
        } else if (!evenIfUnknown && group.by() == Group.By.PREFIX && !operator.knows(group)) {
            throw unknown(operator, "an operation whose name begins with " + group.text());
        }
    }

    /** @throws CheckFailed when the ledger does not know the name and the option is not set */
    void demand(Operator operator, String name) {
        if (evenIfUnknown || operator.knows(name)) {
            return;
        }
        throw unknown(operator, name);
    }

    private static CheckFailed unknown(Operator operator, String name) {
        Set<String> channels = operator.channelNames();
        return new CheckFailed("The ledger has no record of " + name + ": nothing was changed. "
                + (channels.isEmpty() ? "" : "Channels with messages: " + String.join(", ", channels) + ". ")
                + "Correct the name, or add --even-if-unknown if it is correct.");
    }
}
