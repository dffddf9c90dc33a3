package dev.semel.execution;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.store.Switchboard;
import dev.semel.testkit.fault.ForwardingSwitchboard;
import dev.semel.testkit.memory.MemoryStore;
import dev.semel.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The modes of a node, also when reading them fails or is slow. */
class CurrentModesTest {
    private static final Operation<String, String> MAIL = Operation.leased("mail", String.class, String.class);

    private static final Duration LONG = CurrentModes.FRESH.plusMillis(1);

    private final ManualTime time = new ManualTime(1_800_000_000_000L);
    private Supplier<Switchboard.Modes> answer = () -> at(1);
    private final CurrentModes view = new CurrentModes(
            new ForwardingSwitchboard(new MemoryStore(time).switchboard()) {
                @Override
                public Modes modes() {
                    return answer.get();
                }
            },
            Mode.LIVE,
            time);

    private static Switchboard.Modes at(long version) {
        return new Switchboard.Modes(version, List.of(), List.of(), 0);
    }

    private long version() {
        return view.of("acme", MAIL).version();
    }

    private void read(long version) {
        answer = () -> at(version);
        view.reload();
    }

    @Test
    void readThatIsOvertakenByAnotherDoesNotGoBackToTheOlderVersion() {
        answer = () -> {
            read(2);
            return at(1);
        };
        view.reload();
        assertThat(version()).isEqualTo(2);
    }

    @Test
    void olderVersionThatIsReadAfterwardsIsThatOfARestoredStore() {
        read(5);
        read(3);
        assertThat(version()).isEqualTo(3);
    }

    @Test
    void nothingStartsWhileTheModesCannotBeRead() {
        assertThat(view.beforeStart("acme", MAIL)).isEqualTo(Mode.LIVE);
        answer = () -> {
            throw new SemelException.StoreUnavailable("simulated");
        };
        time.advance(CurrentModes.FRESH);
        assertThat(view.beforeStart("acme", MAIL)).isEqualTo(Mode.LIVE);
        time.advance(Duration.ofMillis(1));
        assertThat(view.beforeStart("acme", MAIL)).isNull();
        assertThat(view.isAway()).isTrue();
        answer = () -> at(1);
        time.advance(Duration.ofMillis(100));
        assertThat(view.beforeStart("acme", MAIL)).isEqualTo(Mode.LIVE);
        assertThat(view.isAway()).isFalse();
    }

    @Test
    void answerThatTookLongerThanABoundIsNotTrusted() {
        time.advance(LONG);
        answer = () -> {
            time.advance(LONG);
            return at(1);
        };
        assertThat(view.beforeStart("acme", MAIL)).isNull();
    }

    @Test
    void grantUnderAVersionShowsThatItWasStillInForce() {
        time.advance(LONG);
        answer = () -> {
            throw new SemelException.StoreUnavailable("simulated");
        };
        view.confirmed(2, time.nanos());
        assertThat(view.known()).isFalse();
        view.confirmed(1, time.nanos());
        assertThat(view.known()).isTrue();
    }
}
