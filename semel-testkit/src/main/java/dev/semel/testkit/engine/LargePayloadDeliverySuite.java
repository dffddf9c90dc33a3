package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Key;
import dev.semel.Message;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.store.Claim;
import dev.semel.store.FoundRecords;
import dev.semel.store.Ledger;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.testkit.fault.ForwardingLedger;
import dev.semel.testkit.fault.ForwardingStore;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Messages whose payload is too large to come with a claim. */
abstract class LargePayloadDeliverySuite extends ChannelFixture {
    private static final String LARGE = "x".repeat(2 * Claim.Amount.SMALL);

    LargePayloadDeliverySuite(EngineContract contract) {
        super(contract);
    }

    private void send(String key, boolean large) {
        engine.send(CHAT, Message.of(ACME, Key.of(key), new Note("lane", key + (large ? LARGE : ""))));
    }

    private void sendLane() {
        for (int i = 0; i < 9; i++) {
            send("k" + i, i % 3 == 1);
        }
    }

    private void handle(Engine node) {
        node.handle(CHAT, (note, run) -> handled.add(note.text().substring(0, 2)));
    }

    @Test
    void d7_laneOfSmallAndLargePayloadsIsHandledInItsOrder() {
        sendLane();
        handle(engine);
        work();
        assertThat(handled).containsExactly("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
    }

    /** A node whose reads of payloads fail so often. */
    private Engine failingToRead(AtomicInteger failures) {
        Store store = new ForwardingStore(reopened()) {
            @Override
            public Ledger ledger() {
                return new ForwardingLedger(super.ledger()) {
                    @Override
                    public FoundRecords find(Collection<RecordId> ids) {
                        if (failures.getAndDecrement() > 0) {
                            throw new SemelException.StoreUnavailable("simulated", new java.io.IOException("reset"));
                        }
                        return super.find(ids);
                    }
                };
            }
        };
        return start(store, settings -> settings);
    }

    @Test
    void claimWhoseLargePayloadsCannotBeReadIsContinuedUnderItsFences() {
        sendLane();
        Engine node = failingToRead(new AtomicInteger(2));
        handle(node);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> node.duties().worker().turn()).isInstanceOf(SemelException.StoreUnavailable.class);
        }
        Row claimed = row(CHAT, "k1");
        assertThat(claimed.state()).isEqualTo(State.IN_PROGRESS);
        work(node);
        assertThat(handled).containsExactly("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8");
        assertThat(row(CHAT, "k1").status().fence()).isEqualTo(claimed.status().fence());
    }
}
