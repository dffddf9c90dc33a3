package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.key.RecordId;
import dev.semel.operator.ChannelState;
import dev.semel.operator.Operator.Warrant;
import dev.semel.operator.Replays;
import dev.semel.operator.UnresolvedMessages;
import dev.semel.operator.UnresolvedMessages.MessageFilter;
import dev.semel.operator.UnresolvedMessages.Scope;
import dev.semel.store.Queue;
import dev.semel.store.Row;
import dev.semel.store.State;
import dev.semel.testkit.fault.Faults;
import dev.semel.testkit.fault.Faults.Fault;
import dev.semel.testkit.fault.FaultyStore;
import dev.semel.testkit.fault.StoreCall;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages whose outcome is unknown need a person just as dead letters do, and are not run again unless somebody says so. */
abstract class UnknownMessageSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "looked at the receiver");
    private static final Channel.Leased<Note> FAX =
            Channel.leased("fax", Note.class).withPolicy("steady").asUnrepeatable();

    private final Set<RecordId> locked = new HashSet<>();
    private Engine node;

    @SuppressWarnings("NullAway.Init")
    UnknownMessageSuite(EngineContract contract) {
        super(contract);
    }

    @BeforeEach
    void oneIsDeadAndOneIsUnknown() {
        node = start(locking(locked), settings -> settings);
        node.handle(FAX, (note, run) -> handled.add(note.text()));
        boolean[] fails = {true};
        node.handle(MAIL, (note, run) -> {
            if (fails[0]) {
                throw failing(Failure.Category.VALIDATION);
            }
            handled.add(note.text());
        });
        node.handle(Replays.CHANNEL, node.operator().replays()::handle);
        node.send(MAIL, note("dead", "l"));
        work(node);
        fails[0] = false;
        unknown("doubtful");
    }

    private void unknown(String key) {
        node.send(FAX, note(key, "l"));
        claim(FAX);
        time.advance(LEASE);
        node.duties().sweeper().sweep();
        assertThat(row(FAX, key).state()).isEqualTo(State.UNKNOWN);
    }

    private UnresolvedMessages letters() {
        return node.operator().letters();
    }

    private void replayAll(String job, Scope scope) {
        UnresolvedMessages.Preview preview = letters().preview(MessageFilter.ALL.with(scope));
        node.send(Replays.CHANNEL, Replays.begin(job, preview, 0, WARRANT));
        for (int passes = 0; passes < 4; passes++) {
            work(node);
            time.advance(Duration.ofSeconds(2));
        }
    }

    @Test
    void d25_unknownMessagesAreListedGroupedAndCountedBesideDeadLetters() {
        MessageFilter both = MessageFilter.ALL.with(Scope.BOTH);
        assertThat(letters().list(both, 10))
                .extracting(Row::state)
                .containsExactly(State.UNKNOWN, State.FAILED_TERMINAL);
        assertThat(letters().list(both, 1)).extracting(Row::state).containsExactly(State.UNKNOWN);
        assertThat(letters().groups(both, 100).groups())
                .extracting(UnresolvedMessages.CauseGroup::state)
                .containsExactlyInAnyOrder(State.UNKNOWN, State.FAILED_TERMINAL);
        assertThat(letters().preview(both).count()).isEqualTo(2);
        assertThat(letters().preview(MessageFilter.ALL.with(Scope.UNKNOWN)).count())
                .isEqualTo(1);
        assertThat(letters().preview(MessageFilter.ALL).count()).isEqualTo(1);
    }

    @Test
    void d25_bulkReplayRunsUnknownMessagesOnlyOnRequest() {
        replayAll("dead", Scope.DEAD);
        assertThat(handled).containsExactly("dead");
        assertThat(row(FAX, "doubtful").state()).isEqualTo(State.UNKNOWN);
        replayAll("both", Scope.BOTH);
        assertThat(handled).containsExactly("dead", "doubtful");
        assertThat(story(FAX, "doubtful")).contains("operation.unknown", "operator.replayed");
    }

    @Test
    void d25_replayOfManyReleasesInterruptedStepsWithTheirRecords() {
        stepOf(FAX, "doubtful");
        unknown("second");
        replayAll("unknown", Scope.UNKNOWN);
        assertThat(store.ledger().steps(row(FAX, "doubtful").id())).isEmpty();
        assertThat(handled).containsExactlyInAnyOrder("doubtful", "second");
        assertThat(row(MAIL, "dead").state()).isEqualTo(State.FAILED_TERMINAL);
    }

    @Test
    void d25_replayOfManyThatFailsHalfwayReleasesNoStepWithoutItsRecord() {
        for (Fault fault : List.of(Fault.FAIL_BEFORE, Fault.LOSE_REPLY, Fault.UNKNOWN)) {
            for (int n = 1; n <= 4; n++) {
                String key = fault + "-" + n;
                unknown(key);
                stepOf(FAX, key);
                UnresolvedMessages.Preview preview = letters().preview(MessageFilter.ALL.with(Scope.UNKNOWN));
                Engine failing = start(new FaultyStore(locking(locked), nth(n, fault)), settings -> settings);
                failing.handle(Replays.CHANNEL, failing.operator().replays()::handle);
                failing.send(Replays.CHANNEL, Replays.begin(key, preview, 0, WARRANT));
                try {
                    work(failing);
                } catch (SemelException.StoreUnavailable | SemelException.OutcomeUnknown e) {
                    assertThat(e).hasMessageContaining("injected");
                }
                Row now = row(FAX, key);
                assertThat(store.ledger().steps(now.id())).as(key).hasSize(now.state() == State.UNKNOWN ? 1 : 0);
                for (int rounds = 0; rounds < 5; rounds++) {
                    time.advance(LEASE);
                    work(node);
                }
                assertThat(row(FAX, key).state()).as(key).isEqualTo(State.COMPLETED);
            }
        }
    }

    private static Faults nth(int n, Fault fault) {
        return Faults.nth(n, StoreCall.MOVE, fault);
    }

    /** A message whose process died inside a step. */
    private void stepOf(Channel<Note> channel, String key) {
        node.operator().discard(row(channel, key).id(), WARRANT);
        node.operator().replay(row(channel, key).id(), WARRANT);
        interruptInside(claim(channel), "dial", 3);
        time.advance(LEASE);
        node.duties().sweeper().sweep();
        assertThat(row(channel, key).state()).isEqualTo(State.UNKNOWN);
        assertThat(store.ledger().steps(row(channel, key).id())).hasSize(1);
    }

    @Test
    void d25_channelsTellHowManyOfTheirMessagesAreUnknown() {
        unknown("second");
        assertThat(node.operator().channels())
                .filteredOn(channel -> channel.operation().equals("fax"))
                .extracting(ChannelState::unknown)
                .containsExactly(2L);
        assertThat(node.operator().knows("fax", null)).isTrue();
    }

    @Test
    void d25_messageThatIsClaimedAndNotStartedIsNotSaidToRun() {
        node.send(FAX, note("claimed", "l"));
        claim(FAX);
        assertThat(node.operator().explain(row(FAX, "claimed")).sentence())
                .contains("on a node, or waits there")
                .contains("lease");
        time.advance(LEASE);
        assertThat(node.operator().explain(row(FAX, "claimed")).sentence())
                .contains("was claimed by a node, and its lease is over");
    }

    @Test
    void b13_lockedHeadsOfLanesHideNoneBehindThemAfterAnAdoption() {
        node.handle(CHAT, (note, run) -> handled.add(note.text()));
        for (int lane = 0; lane < 120; lane++) {
            node.send(CHAT, note("c" + lane, "lane-" + lane));
        }
        assertThat(claim(CHAT, 120)).hasSize(120);
        node.operator().adopt(WARRANT);
        Queue queue = store.queue().orElseThrow();
        queue.unknownHeads(CHAT.name(), 110).forEach(head -> locked.add(head.id()));
        node.duties().reconciliation().reconcile();
        assertThat(queue.unknownHeads(CHAT.name(), 200)).hasSize(110);
        locked.clear();
        node.duties().reconciliation().reconcile();
        assertThat(queue.unknownHeads(CHAT.name(), 200)).isEmpty();
    }

    @Test
    void d25_lockedMessagesAreReplayedByALaterPassOfTheSameReplay() {
        locked.add(row(MAIL, "dead").id());
        locked.add(row(FAX, "doubtful").id());
        UnresolvedMessages.Preview preview = letters().preview(MessageFilter.ALL.with(Scope.BOTH));
        node.send(Replays.CHANNEL, Replays.begin("job", preview, 0, WARRANT));
        work(node);
        assertThat(handled).isEmpty();
        assertThat(node.operator().replays().progress("job", 1))
                .hasValueSatisfying(progress -> assertThat(progress.over()).isFalse());
        locked.clear();
        time.advance(Duration.ofSeconds(2));
        work(node);
        assertThat(handled).containsExactlyInAnyOrder("dead", "doubtful");
        assertThat(node.operator().replays().progress("job", 1))
                .hasValueSatisfying(progress -> assertThat(progress.over()).isTrue());
    }

    @Test
    void d25_messagesThatStayLockedAreLeftAndASecondReplayFindsThem() {
        locked.add(row(MAIL, "dead").id());
        replayAll("first", Scope.DEAD);
        assertThat(node.operator().replays().progress("first", 1))
                .hasValueSatisfying(progress -> assertThat(progress.over()).isTrue());
        assertThat(letters().preview(MessageFilter.ALL).count()).isEqualTo(1);
        locked.clear();
        replayAll("second", Scope.DEAD);
        assertThat(handled).containsExactly("dead");
        assertThat(letters().list(MessageFilter.ALL, 10)).isEqualTo(List.of());
    }
}
