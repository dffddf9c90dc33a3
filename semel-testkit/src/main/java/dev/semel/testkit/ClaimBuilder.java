package dev.semel.testkit;

import dev.semel.store.AuditEntry;
import dev.semel.store.Claim;
import dev.semel.store.Reservation;
import dev.semel.store.Row;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A claim in the making; every part that a test does not speak of has a plain value. */
final class ClaimBuilder {
    private static final AtomicLong OWNERS = new AtomicLong(1_000_000);

    private final int records;
    private String operation = ArrivalBuilder.CHANNEL;
    private int run;
    private int takeovers;
    private long owner = OWNERS.incrementAndGet();
    private long lease = ReservationBuilder.LEASE;
    private boolean repeatable = true;
    private int attempts = ReservationBuilder.ATTEMPTS;
    private int inline = Integer.MAX_VALUE;
    private Claim.Budget budget = Claim.Budget.NONE;
    private Claim.Turns turns = Claim.Turns.ALL;
    private Function<Row, @Nullable AuditEntry> takenOver = row -> null;

    private ClaimBuilder(int records) {
        this.records = records;
        this.run = records;
        this.takeovers = records;
    }

    /** For at most so many, in runs as long. */
    static ClaimBuilder of(int records) {
        return new ClaimBuilder(records);
    }

    ClaimBuilder from(String other) {
        operation = other;
        return this;
    }

    ClaimBuilder runsOf(int length) {
        run = length;
        return this;
    }

    ClaimBuilder takingOver(int most) {
        takeovers = most;
        return this;
    }

    ClaimBuilder by(long token) {
        owner = token;
        return this;
    }

    ClaimBuilder leasedFor(long millis) {
        lease = millis;
        return this;
    }

    ClaimBuilder notRepeatable() {
        repeatable = false;
        return this;
    }

    ClaimBuilder atMost(int grants) {
        attempts = grants;
        return this;
    }

    ClaimBuilder retries(int perSecond) {
        budget = new Claim.Budget(perSecond);
        return this;
    }

    /** Without payloads of more bytes. */
    ClaimBuilder inline(int bytes) {
        inline = bytes;
        return this;
    }

    ClaimBuilder after(String tenant) {
        turns = new Claim.Turns(tenant, turns.except());
        return this;
    }

    ClaimBuilder except(String... tenants) {
        turns = new Claim.Turns(turns.after(), Set.of(tenants));
        return this;
    }

    ClaimBuilder only(String tenant) {
        turns = Claim.Turns.only(tenant);
        return this;
    }

    /** With this event of each record that is taken over. */
    ClaimBuilder telling(Function<Row, @Nullable AuditEntry> event) {
        takenOver = event;
        return this;
    }

    Claim claim(long modesVersion) {
        return new Claim(
                operation,
                modesVersion,
                new Reservation.Grant(owner, lease, repeatable, attempts),
                new Claim.Amount(records, run, takeovers, budget, inline),
                turns,
                takenOver);
    }
}
