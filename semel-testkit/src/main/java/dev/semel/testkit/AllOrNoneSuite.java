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

    private Moved together(MoveBuilder... shifts) {
        return ledger.moveTogether(
                List.of(shifts).stream().map(MoveBuilder::move).toList());
    }

    private MoveBuilder replay(long fence) {
        return MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.FAILED_RETRYABLE)
                .from(State.UNKNOWN)
                .in(0)
                .with(ReservationBuilder.of("parent").event(3));
    }

    private long unknown(long fence) {
        apply(MoveBuilder.of(ReservationBuilder.id("parent"), fence, State.UNKNOWN)
                .in(0));
        return fence;
    }

    @Test
    void a18_changeAndARemovalAreMadeTogetherAndTheSameAgainIsTheSame() {
        long parent = grant("parent").fence();
        long step = grant(ReservationBuilder.of("step").under(ReservationBuilder.id("parent"), parent))
                .fence();
        unknown(parent);
        MoveBuilder removal = MoveBuilder.removing(ReservationBuilder.id("step"), step);
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
        assertThat(together(MoveBuilder.removing(ReservationBuilder.id("never there"), 1), replay(parent)))
                .isEqualTo(new Moved.Applied());
        assertThat(status("parent").state()).isEqualTo(State.FAILED_RETRYABLE);
    }

    @Test
    void a18_oneRefusalAnywhereInTheBatchKeepsAllTheOthersBack() {
        long parent = grant("parent").fence();
        long one = grant(ReservationBuilder.of("one").under(ReservationBuilder.id("parent"), parent))
                .fence();
        long two = grant(ReservationBuilder.of("two").under(ReservationBuilder.id("parent"), parent))
                .fence();
        unknown(parent);
        Status before = status("parent");
        MoveBuilder first = MoveBuilder.removing(ReservationBuilder.id("one"), one);
        MoveBuilder second = MoveBuilder.removing(ReservationBuilder.id("two"), two);
        MoveBuilder otherFence = MoveBuilder.removing(ReservationBuilder.id("two"), two + 1);
        MoveBuilder otherState = MoveBuilder.of(ReservationBuilder.id("two"), two, State.COMPLETED)
                .from(State.UNKNOWN);
        MoveBuilder absent = MoveBuilder.of(ReservationBuilder.id("absent"), 1, State.COMPLETED);
        MoveBuilder late = replay(parent).from(State.FAILED_TERMINAL);

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
