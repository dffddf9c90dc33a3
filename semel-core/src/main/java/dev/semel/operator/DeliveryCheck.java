package dev.semel.operator;

import dev.semel.DeliverySource.Delivery;
import dev.semel.DeliverySource.Fault;
import dev.semel.DeliverySource.Finding;
import dev.semel.DeliverySource.Report;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.key.Fingerprints;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares what a source says it delivered with the ledger. Only reads. */
public final class DeliveryCheck {
    private static final int AT_ONCE = 500;
    private static final int MOST_FINDINGS = 100;

    private final Ledger ledger;
    private final Function<String, Operation.@Nullable Definition<?, ?>> definitions;

    /** @param definitions of the operations that are known here; any other counts as one of JSON without transport fields */
    public DeliveryCheck(Ledger ledger, Function<String, Operation.@Nullable Definition<?, ?>> definitions) {
        this.ledger = ledger;
        this.definitions = definitions;
    }

    /** The report so far, with these added. */
    public Report add(Report before, List<Delivery> deliveries) {
        return add(before, deliveries, missing -> {});
    }

    /**
     * The report so far, with these added.
     *
     * @param onMissing gets each that is missing
     */
    public Report add(Report before, List<Delivery> deliveries, Consumer<Delivery> onMissing) {
        Report report = before;
        for (int from = 0; from < deliveries.size(); from += AT_ONCE) {
            report = batch(report, deliveries.subList(from, Math.min(deliveries.size(), from + AT_ONCE)), onMissing);
        }
        return report;
    }

    private Report batch(Report before, List<Delivery> deliveries, Consumer<Delivery> onMissing) {
        Map<Delivery, Identity> identities = new HashMap<>();
        Set<RecordId> ids = new HashSet<>();
        for (Delivery delivery : deliveries) {
            Identity identity = Identity.of(delivery.tenant(), delivery.channel(), delivery.key());
            identities.put(delivery, identity);
            ids.add(identity.id());
            ids.addAll(identity.neighbours());
        }
        FoundRecords found = ledger.find(ids);
        long there = before.there();
        long missing = before.missing();
        long conflicting = before.conflicting();
        List<Finding> findings = new ArrayList<>(before.findings());
        for (Delivery delivery : deliveries) {
            Identity identity = identities.get(delivery);
            Fault fault = fault(delivery, row(identity, found));
            if (fault == null) {
                there++;
                continue;
            }
            if (fault == Fault.MISSING) {
                missing++;
                onMissing.accept(delivery);
            }
            conflicting += fault == Fault.CONFLICTING ? 1 : 0;
            if (findings.size() < MOST_FINDINGS) {
                findings.add(new Finding(
                        fault,
                        delivery.tenant().name(),
                        delivery.channel(),
                        delivery.key().text(),
                        identity.id().hex()));
            }
        }
        return new Report(before.seen() + deliveries.size(), there, missing, conflicting, findings, before.resent());
    }

    private static @Nullable Row row(Identity identity, FoundRecords found) {
        return Stream.concat(Stream.of(identity.id()), identity.neighbours().stream())
                .map(found::get)
                .filter(row -> row != null)
                .findFirst()
                .orElse(null);
    }

    private @Nullable Fault fault(Delivery delivery, @Nullable Row row) {
        if (row == null) {
            return Fault.MISSING;
        }
        Operation.Definition<?, ?> known = definitions.apply(delivery.channel());
        Operation.Definition<?, ?> definition = known != null
                ? known
                : Operation.leased(delivery.channel(), Object.class, Object.class)
                        .definition();
        return delivery.payload() == null || isSame(delivery.payload(), definition, row) ? null : Fault.CONFLICTING;
    }

    private static boolean isSame(byte[] payload, Operation.Definition<?, ?> definition, Row row) {
        try {
            return Fingerprints.matches(row.header().fingerprint(), definition, payload);
        } catch (SemelException.Invalid e) {
            // The source lists what is no JSON; the ledger cannot hold that.
            return false;
        }
    }
}
