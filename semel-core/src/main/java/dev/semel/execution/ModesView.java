package dev.semel.execution;

import dev.semel.Mode;
import dev.semel.store.Switchboard;
import dev.semel.store.Transactions;

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

    /** Not inside a transaction: it may need a connection. */
    Reading of(String tenant, String operation) {
        Reading reading = read(modes, tenant, operation);
        if (reading.mode() != Mode.LIVE) {
            reload();
            reading = read(modes, tenant, operation);
        }
        return reading;
    }

    /** For a call inside a transaction, which must not need a connection of its own. */
    Reading in(Transactions.Tx tx, String tenant, String operation) {
        Reading cached = read(modes, tenant, operation);
        return cached.mode() == Mode.LIVE ? cached : read(tx.modes(), tenant, operation);
    }

    /** As {@link #in}, when the cached reading turned out to be old. */
    Reading afresh(Transactions.Tx tx, String tenant, String operation) {
        return read(tx.modes(), tenant, operation);
    }

    void reload() {
        modes = switchboard.modes();
    }

    private Reading read(Switchboard.Modes now, String tenant, String operation) {
        return new Reading(now.of(tenant, operation).stricter(nodeMode), now.version());
    }
}
