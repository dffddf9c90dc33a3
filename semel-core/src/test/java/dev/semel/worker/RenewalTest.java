package dev.semel.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Key;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import dev.semel.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases in an engine with its threads, whose time stands still until the test moves it. */
@Timeout(300)
class RenewalTest {
    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Operation.Leased<String, String> CALL = Operation.leased("call", String.class, String.class)
            .withPolicy("short")
            .asRepeatable();

    /** A bounded wait returns soon. */
    private static final class HeldTime extends ForwardingTime {
        private static final Duration SOON = Duration.ofMillis(2);

        HeldTime(ManualTime time) {
            super(time);
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            TimeSource.system().sleep(SOON);
        }

        @Override
        public Gate gate() {
            return new ForwardingGate(TimeSource.system().gate()) {
                @Override
                public boolean await(Duration atMost) throws InterruptedException {
                    return super.await(SOON);
                }
            };
        }
    }

    private static long leaseEnd(MemoryStore store) {
        RecordId id = Identity.of(Tenant.SINGLE, "call", Key.of("k")).id();
        return store.ledger().find(List.of(id)).get(id).status().at();
    }

    @Test
    void longRunKeepsItsLeaseByRenewal() {
        ManualTime time = new ManualTime(0);
        TimeSource held = new HeldTime(time);
        MemoryStore store = new MemoryStore(time);
        Policy policy = Policy.named("short").withLease(LEASE).build();
        try (Engine engine =
                EngineSettings.on(store).withTime(held).withPolicy(policy).open()) {
            Call<String> call = Call.of(Tenant.SINGLE, Key.of("k"), "payload");
            Answer<String> answer = engine.run(CALL, call, (payload, run) -> {
                for (int renewals = 0; renewals < 5; renewals++) {
                    long before = leaseEnd(store);
                    time.advance(LEASE.dividedBy(2));
                    while (leaseEnd(store) == before) {
                        held.sleep(LEASE);
                    }
                    run.ensureHeld();
                }
                return "held";
            });
            assertThat(answer).isInstanceOf(Answer.Executed.class);
        }
    }
}
