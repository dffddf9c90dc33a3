package dev.semel.execution;

import dev.semel.Mode;
import dev.semel.store.Switchboard;

/**
 * The modes as this node last read them. Grants are checked in the store against the version of this reading, so a stale one
 * grants nothing: it is read again. While anything but LIVE applies nothing is granted that would tell, so it is read anew
 * each time.
 */
public final class ModesView {
    private final Switchboard switchboard;
    private final Mode nodeMode;
    private volatile Switchboard.Modes modes;

    /** @param nodeMode this node's own mode, from its environment; the stricter one wins */
    public ModesView(Switchboard switchboard, Mode nodeMode) {
        this.switchboard = switchboard;
        this.nodeMode = nodeMode;
        this.modes = switchboard.modes();
    }

    /** What applies to a call, with the version to be checked at the grant. */
    record Reading(Mode mode, long version) {}

    Reading of(String tenant, String operation) {
        Reading reading = read(tenant, operation);
        if (reading.mode() != Mode.LIVE) {
            reload();
            reading = read(tenant, operation);
        }
        return reading;
    }

    void reload() {
        modes = switchboard.modes();
    }

    private Reading read(String tenant, String operation) {
        Switchboard.Modes now = modes;
        return new Reading(now.of(tenant, operation).stricter(nodeMode), now.version());
    }
}
