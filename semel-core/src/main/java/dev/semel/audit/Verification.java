package dev.semel.audit;

import dev.semel.store.AuditLog;
import dev.semel.store.AuditRow;
import dev.semel.store.Seal;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks the chain from its start, or from where the audit's retention has purged it, and names the first event that was
 * changed, removed or inserted. Events after the newest
 * seal are not covered yet; a tail that was cut off whole is seen only against an anchor kept elsewhere.
 */
public final class Verification {
    private static final int PAGE = 100;

    private final AuditLog log;

    public Verification(AuditLog log) {
        this.log = log;
    }

    /**
     * What was found.
     *
     * @param damage the first fault, if there is one
     * @param anchor {@code number:hash} of the newest seal, to be kept elsewhere
     */
    public record VerificationReport(long seals, long events, Optional<Damage> damage, Optional<String> anchor) {
        public boolean intact() {
            return damage.isEmpty();
        }
    }

    /** @param event id of the first event concerned; absent when a seal itself is damaged */
    public record Damage(DamageKind kind, long seal, Optional<Long> event, String sentence) {}

    /** The kind of damage. */
    public enum DamageKind {
        CHANGED,
        REMOVED,
        INSERTED,
        SEAL_BROKEN,
        ANCHOR_MISSED
    }

    /**
     * @param anchor an earlier report's anchor, to be found in the chain as it was, unless its seal was purged since: then it is
     *     not compared
     */
    public VerificationReport verify(@Nullable String anchor) {
        while (true) {
            long first = firstSeal();
            VerificationReport report = verifyOnce(anchor);
            // A purge that went on meanwhile looks like damage.
            if (report.intact() || firstSeal() == first) {
                return report;
            }
        }
    }

    private long firstSeal() {
        return log.seals(1, 1).stream().mapToLong(Seal::number).findFirst().orElse(0);
    }

    private VerificationReport verifyOnce(@Nullable String anchor) {
        long events = 0;
        long number = 0;
        byte[] previous = new byte[Chain.HASH];
        AuditRow.Position after = AuditRow.Position.START;
        boolean anchored = anchor == null;
        for (List<Seal> page = log.seals(1, PAGE); !page.isEmpty(); page = log.seals(number + 1, PAGE)) {
            Seal first = page.get(0);
            if (number == 0 && wasPurgedBefore(first)) {
                number = first.number() - 1;
                previous = first.previous();
                after = first.after();
                anchored |= isPurged(anchor, number);
            }
            for (Seal seal : page) {
                Damage damage = damage(seal, number + 1, previous, after);
                if (damage != null) {
                    return new VerificationReport(number, events, Optional.of(damage), Optional.empty());
                }
                number = seal.number();
                previous = seal.hash();
                after = seal.upTo();
                events += seal.events();
                anchored |= anchor(seal).equals(anchor);
            }
        }
        Optional<String> newest = number == 0 ? Optional.empty() : Optional.of(number + ":" + hex(previous));
        if (!anchored) {
            Damage missed = new Damage(
                    DamageKind.ANCHOR_MISSED,
                    number,
                    Optional.empty(),
                    "No seal is " + anchor + ": the log was cut or rewritten since that anchor was taken.");
            return new VerificationReport(number, events, Optional.of(missed), newest);
        }
        return new VerificationReport(number, events, Optional.empty(), newest);
    }

    /** Whether the newest event of an audit purge names the seal that this one follows. */
    private boolean wasPurgedBefore(Seal first) {
        return first.number() > 1
                && log.newest(AuditPurge.EVENTS, 1).stream()
                        .anyMatch(event -> AuditPurge.names(event, first.number() - 1, first.previous()));
    }

    /** An anchor whose seal was purged since says nothing about those that are left. */
    private static boolean isPurged(@Nullable String anchor, long last) {
        if (anchor == null) {
            return true;
        }
        int colon = anchor.indexOf(':');
        try {
            return colon > 0 && Long.parseLong(anchor.substring(0, colon)) <= last;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private @Nullable Damage damage(Seal seal, long number, byte[] previous, AuditRow.Position after) {
        if (seal.number() != number
                || !Arrays.equals(seal.previous(), previous)
                || !seal.after().equals(after)) {
            return new Damage(
                    DamageKind.SEAL_BROKEN,
                    number,
                    Optional.empty(),
                    "Seal " + number + " does not follow the one before it: a seal was removed or rewritten.");
        }
        List<AuditRow> rows = log.between(seal.after(), seal.upTo());
        ByteBuffer digests = ByteBuffer.wrap(seal.digests());
        for (AuditRow row : rows) {
            long id = row.position().seq();
            if (!digests.hasRemaining()) {
                return event(DamageKind.INSERTED, number, id);
            }
            digests.mark();
            long sealed = digests.getLong();
            byte[] digest = new byte[Chain.SHORT];
            digests.get(digest);
            if (sealed != id) {
                digests.reset();
                return isSealed(digests, id)
                        ? event(DamageKind.REMOVED, number, sealed)
                        : event(DamageKind.INSERTED, number, id);
            }
            if (!Arrays.equals(digest, Arrays.copyOf(Chain.digest(row), Chain.SHORT))) {
                return event(DamageKind.CHANGED, number, id);
            }
        }
        if (digests.hasRemaining()) {
            return event(DamageKind.REMOVED, number, digests.getLong());
        }
        boolean whole = Arrays.equals(seal.hash(), Chain.hash(number, previous, after, rows));
        return whole
                ? null
                : new Damage(
                        DamageKind.SEAL_BROKEN,
                        number,
                        Optional.empty(),
                        "Seal " + number + " does not match its events: the seal was rewritten.");
    }

    private static boolean isSealed(ByteBuffer rest, long id) {
        ByteBuffer view = rest.duplicate();
        while (view.hasRemaining()) {
            if (view.getLong() == id) {
                return true;
            }
            view.position(view.position() + Chain.SHORT);
        }
        return false;
    }

    private static Damage event(DamageKind kind, long seal, long id) {
        String what = kind.name().toLowerCase(java.util.Locale.ROOT);
        return new Damage(
                kind, seal, Optional.of(id), "Event " + id + " was " + what + " after seal " + seal + " was made.");
    }

    private static String anchor(Seal seal) {
        return seal.number() + ":" + hex(seal.hash());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
