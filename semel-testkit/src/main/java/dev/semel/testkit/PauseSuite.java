package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Mode;
import dev.semel.store.AuditEntry;
import dev.semel.store.AuditFilter;
import dev.semel.store.Switchboard.Modes;
import dev.semel.store.Switchboard.Pause;
import dev.semel.store.Switchboard.Setting;
import org.junit.jupiter.api.Test;

/** Channels that somebody paused, as all nodes see them. */
abstract class PauseSuite extends QueueFixture {
    private static final Pause ALL = new Pause("mail", null, "401", START, 60_000);
    private static final Pause ONE = new Pause("mail", "acme", "they asked", START, 0);

    PauseSuite(StoreContract contract) {
        super(contract);
    }

    private static AuditEntry event(int type) {
        return new AuditEntry(type, new AuditEntry.Subject("*", "mail", null, null, null), null, 0, 0, "{\"n\":1}");
    }

    private long told(int type) {
        return audit.newest(AuditFilter.ofType(type), 100).size();
    }

    @Test
    void pauseRaisesTheVersionAndWritesAnEvent() {
        Modes before = board.modes();
        assertThat(before.pauses()).isEmpty();
        long version = board.pause(ALL, event(14));
        assertThat(version).isGreaterThan(before.version());
        assertThat(board.modes().version()).isEqualTo(version);
        assertThat(board.modes().pauses()).containsExactly(ALL);
        assertThat(audit.newest(AuditFilter.ALL, 10))
                .singleElement()
                .satisfies(row ->
                        assertThat(row.entry()).usingRecursiveComparison().isEqualTo(event(14)));
    }

    @Test
    void pausesForAllAndForATenantCoexistWithModes() {
        board.pause(ALL, event(14));
        board.pause(ONE, event(14));
        board.pause(new Pause("chat", null, "why", 1, 2), event(14));
        board.set(new Setting(null, "mail", Mode.SHADOW), event(20));
        Modes modes = board.modes();
        assertThat(modes.pauses()).containsExactlyInAnyOrder(ALL, ONE, new Pause("chat", null, "why", 1, 2));
        assertThat(modes.settings()).containsExactly(new Setting(null, "mail", Mode.SHADOW));
        board.set(new Setting(null, "mail", Mode.LIVE), event(20));
        assertThat(board.modes().pauses()).hasSize(3);
        assertThat(board.modes().settings()).isEmpty();
    }

    @Test
    void pauseReplacesTheOneThatIsThere() {
        long first = board.pause(ALL, event(14));
        Pause again = new Pause("mail", null, "403", START + 5, 0);
        assertThat(board.pause(again, event(14))).isGreaterThan(first);
        assertThat(board.modes().pauses()).containsExactly(again);
        assertThat(told(14)).isEqualTo(2);
    }

    @Test
    void resumeRemovesThePauseRaisesTheVersionAndWritesAnEvent() {
        board.pause(ALL, event(14));
        long version = board.pause(ONE, event(14));
        assertThat(board.resume("mail", null, event(15))).isTrue();
        assertThat(board.modes().version()).isGreaterThan(version);
        assertThat(board.modes().pauses()).containsExactly(ONE);
        assertThat(board.resume("mail", "acme", event(15))).isTrue();
        assertThat(board.modes().pauses()).isEmpty();
        assertThat(told(15)).isEqualTo(2);
    }

    @Test
    void resumeWithoutAPauseChangesNothingAndWritesNoEvent() {
        long version = board.pause(ONE, event(14));
        assertThat(board.resume("mail", null, event(15))).isFalse();
        assertThat(board.resume("mail", "other", event(15))).isFalse();
        assertThat(board.resume("Mail", "acme", event(15))).isFalse();
        assertThat(board.modes().version()).isEqualTo(version);
        assertThat(board.modes().pauses()).containsExactly(ONE);
        assertThat(told(15)).isZero();
    }

    @Test
    void d9_pauseAndItsEndMakeClaimsUnderTheModesBeforeThemVoid() {
        send(ArrivalBuilder.of("k"));
        long before = board.modes().version();
        board.pause(ALL, event(14));
        assertThat(queue.claim(ClaimBuilder.of(1).claim(before)).modesChanged()).isTrue();
        long paused = board.modes().version();
        board.resume("mail", null, event(15));
        assertThat(queue.claim(ClaimBuilder.of(1).claim(paused)).modesChanged()).isTrue();
        assertThat(keys(granted(ClaimBuilder.of(1)))).containsExactly("k");
    }

    @Test
    void pausedChannelsAcceptMessages() {
        board.pause(ALL, event(14));
        send(ArrivalBuilder.of("k"));
        assertThat(queue.backlog("mail").waiting()).isEqualTo(1);
    }
}
