package dev.semel.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.testkit.Scratch;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LedgerResetTest {
    private static final Operation.Leased<String, String> GREET = Operation.leased("greet", String.class, String.class);
    private static final Channel<String> MAIL =
            Channel.leased("mail", String.class).withLane(text -> "one");

    private final Path directory = Scratch.directory("reset");

    private Store open(String name) {
        return Stores.open("sqlite:" + directory.resolve(name), StoreProvider.Options.DEFAULT);
    }

    private static Answer<String> greet(Engine engine) {
        return engine.run(
                GREET,
                Call.of(Tenant.SINGLE, Key.of("k"), "ann"),
                (name, run) -> run.step("say", String.class, key -> "hello " + name));
    }

    @Test
    void resetRemovesRecordsStepsAndMessagesInLanes() {
        try (Store store = open("new.db");
                Engine engine = Engine.withoutBackground(store)) {
            LedgerReset reset = new LedgerReset(store, "new");
            for (int round = 0; round < 2; round++) {
                assertThat(greet(engine)).isInstanceOf(Answer.Executed.class);
                assertThat(greet(engine)).isInstanceOf(Answer.Replayed.class);
                for (String key : new String[] {"m-1", "m-2"}) {
                    assertThat(engine.send(MAIL, Message.of(Tenant.SINGLE, Key.of(key), key))
                                    .orThrow()
                                    .first())
                            .isTrue();
                }
                reset.reset();
            }
        }
    }

    @Test
    void resetIsRejectedForALedgerThatHadRecordsBeforeTheFirstTest() {
        try (Store store = open("used.db");
                Engine engine = Engine.withoutBackground(store)) {
            greet(engine);
            LedgerReset reset = new LedgerReset(store, "used");
            assertThat(reset.isTestLedger()).isFalse();
            assertThatThrownBy(reset::reset)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Reset rejected; nothing was removed: the ledger used had records");
            assertThat(greet(engine)).isInstanceOf(Answer.Replayed.class);
            reset.resetAny();
            assertThat(greet(engine)).isInstanceOf(Answer.Executed.class);
        }
    }
}
