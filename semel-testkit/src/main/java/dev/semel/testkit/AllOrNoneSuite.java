package dev.semel.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.store.AuditFilter;
import dev.semel.store.Moved;
import dev.semel.store.State;
import dev.semel.store.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Moves that are made in one commit, or none of them. */
abstract class AllOrNoneSuite extends ContractSuite {
    AllOrNoneSuite(StoreContract contract) {
        super(contract);
    }

    private Moved together(Shift... shifts) {
        return ledger.moveTogether(List.of(shifts).stream().map(Shift::move).toList());
    }

    private Shift replay(long fence) {
        return Shift.of(Ask.id("parent"), fence, State.FAILED_RETRYABLE)
                .from(State.UNKNOWN)
                .in(0)
                .with(Ask.of("parent").event(3));
    }

    private long unknown(long fence) {
        apply(Shift.of(Ask.id("parent"), fence, State.UNKNOWN).in(0));
        return fence;
    }

    @Test
    void a18_changeAndARemovalAreMadeTogetherAndTheSameAgainIsTheSame() {
        long parent = grant("parent").fence();
        long step = grant(Ask.of("step").under(Ask.id("parent"), parent)).fence();
        unknown(parent);
        Shift removal = Shift.removing(Ask.id("step"), step);
        assertThat(together(removal, replay(parent))).isEqualTo(new Moved.Applied());
        assertThat(exists("step")).isFalse();
        assertThat(status("parent").state()).isEqualTo(State.FAILED_RETRYABLE);
        assertThat(together(removal, replay(parent))).isEqualTo(new Moved.Same());
        assertThat(audit.newest(AuditFilter.ALL, 10)).hasSize(1);
        assertThat(ledger.moveTogether(List.of())).isEqualTo(new Moved.Same());
    }

    @Test
    void a18_repeatedMoveDoesNotBlockTheOthers() {
        long parent = unknown(grant("parent").fence());
        assertThat(together(Shift.removing(Ask.id("never there"), 1), replay(parent)))
                .isEqualTo(new Moved.Applied());
        assertThat(status("parent").state()).isEqualTo(State.FAILED_RETRYABLE);
    }

    @Test
    void a18_oneRefusalAnywhereInTheBatchKeepsAllTheOthersBack() {
        long parent = grant("parent").fence();
        long one = grant(Ask.of("one").under(Ask.id("parent"), parent)).fence();
        long two = grant(Ask.of("two").under(Ask.id("parent"), parent)).fence();
        unknown(parent);
        Status before = status("parent");
        Shift first = Shift.removing(Ask.id("one"), one);
        Shift second = Shift.removing(Ask.id("two"), two);
        Shift otherFence = Shift.removing(Ask.id("two"), two + 1);
        Shift otherState = Shift.of(Ask.id("two"), two, State.COMPLETED).from(State.UNKNOWN);
        Shift absent = Shift.of(Ask.id("absent"), 1, State.COMPLETED);
        Shift late = replay(parent).from(State.FAILED_TERMINAL);

        assertThat(together(first, otherFence, replay(parent))).isEqualTo(new Moved.Refused(status("two")));
        assertThat(together(otherState, first, replay(parent))).isEqualTo(new Moved.Refused(status("two")));
        assertThat(together(first, second, late)).isEqualTo(new Moved.Refused(before));
        assertThat(together(replay(parent), first, absent)).isEqualTo(new Moved.Refused(null));

        assertThat(exists("one")).isTrue();
        assertThat(exists("two")).isTrue();
        assertThat(status("parent")).isEqualTo(before);
        assertThat(audit.newest(AuditFilter.ALL, 10)).isEmpty();
        assertThat(together(first, second, replay(parent))).isEqualTo(new Moved.Applied());
    }
}
