package dev.semel.jdbc.fault;

import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.key.Identity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** The three kinds of work that a run asks for. A record is named by its kind and its key. */
enum WorkKind {
    /** Atomic: a row of the ledger's own database. */
    PAY,
    /** Leased and repeatable: delivered to a receiver that checks keys and fences. */
    NOTIFY,
    /** Leased and not repeatable: a row at a receiver that checks nothing. */
    PRINT;

    static final Tenant TENANT = Tenant.of("acme");

    /** A run may be taken over as often as it is killed. */
    static final Policy POLICY = Policy.named("fault")
            .withMaxAttempts(10_000)
            .withLease(Duration.ofSeconds(2))
            .withDelays(Duration.ofMillis(10))
            .build();

    static final Operation.Atomic<String, byte[]> PAYING =
            Operation.atomic("pay", String.class, byte[].class).withPolicy("fault");
    static final Operation.Leased<String, byte[]> NOTIFYING = Operation.leased("notify", String.class, byte[].class)
            .asRepeatable()
            .withPolicy("fault");
    static final Operation.Leased<String, byte[]> PRINTING =
            Operation.leased("print", String.class, byte[].class).withPolicy("fault");

    /** A record by its name. */
    record Item(WorkKind work, String key) {
        static Item of(String record) {
            String[] parts = record.split("/", 2);
            return new Item(valueOf(parts[0].toUpperCase(Locale.ROOT)), parts[1]);
        }

        String record() {
            return work.operation() + "/" + key;
        }

        String payload() {
            return "of " + key;
        }

        Identity identity() {
            return Identity.of(TENANT, work.operation(), Key.of(key));
        }
    }

    String operation() {
        return name().toLowerCase(Locale.ROOT);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
