package dev.semel.audit;

import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.util.List;
import java.util.Optional;

/**
 * Chains events by hash, behind the horizon of open transactions, so that sealing never waits for a writer and no writer
 * waits for it. Any number of nodes may seal: the store takes the next number once.
 */
public final class Sealer {
    private static final int LARGEST = 1_000;

    private final AuditLog log;

    public Sealer(AuditLog log) {
        this.log = log;
    }

    /** Seals everything that is behind the horizon; says how many events that were. Under steady load there is always more. */
    public int sealAll() {
        int sealed = 0;
        for (int count = sealSome(); count > 0; count = sealSome()) {
            sealed += count;
        }
        return sealed;
    }

    /**
     * Makes so many seals at most.
     *
     * @return whether there may be more to seal
     */
    public boolean seal(int most) {
        for (int i = 0; i < most; i++) {
            if (sealSome() < LARGEST) {
                return false;
            }
        }
        return true;
    }

    private int sealSome() {
        Optional<Seal> last = log.newestSeal();
        AuditRow.Position after = last.map(Seal::upTo).orElse(AuditRow.Position.START);
        List<AuditRow> rows = log.behindHorizon(after, LARGEST);
        if (rows.isEmpty()) {
            return 0;
        }
        byte[] previous = last.map(Seal::hash).orElseGet(() -> new byte[Chain.HASH]);
        long number = last.map(Seal::number).orElse(0L) + 1;
        return log.add(Chain.seal(number, previous, after, rows)) ? rows.size() : 0;
    }
}
