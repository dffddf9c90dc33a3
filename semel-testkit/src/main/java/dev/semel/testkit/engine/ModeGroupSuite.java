package dev.semel.testkit.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.semel.Answer;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.SemelException;
import dev.semel.engine.Engine;
import dev.semel.execution.CurrentModes;
import dev.semel.execution.Settled;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Switchboard;
import dev.semel.store.Switchboard.Group;
import dev.semel.store.Switchboard.Group.By;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Modes of groups: operations and channels whose names begin alike, or that share a label. */
abstract class ModeGroupSuite extends ChannelFixture {
    private static final Warrant WARRANT = new Warrant("ann", "a dry run");
    private static final Group EFFECTS = new Group(By.LABEL, "side-effects");
    private static final Group CRM = new Group(By.PREFIX, "crm.");
    private static final Channel.Leased<Note> CRM_WRITE =
            Channel.leased("crm.write", Note.class).withPolicy("steady").withLabel("side-effects");
    private static final Channel.Leased<Note> CRMX =
            Channel.leased("crmx", Note.class).withPolicy("steady").withLabel("side-effects");
    private static final Operation.Leased<Order, Receipt> CRM_READ =
            Operation.leased("crm.read", Order.class, Receipt.class).withPolicy("steady");
    private static final Operation.Atomic<Order, Receipt> DECIDE = Operation.atomic(
                    "decide", Order.class, Receipt.class)
            .withPolicy("steady")
            .withLabel("decisions");

    ModeGroupSuite(EngineContract contract) {
        super(contract);
    }

    private void set(@Nullable String tenant, Group group, Mode mode) {
        engine.operator().setMode(Switchboard.Setting.forGroup(tenant, group, mode), WARRANT);
    }

    private Answer<Receipt> read(String key) {
        return engine.run(CRM_READ, call(key), (order, run) -> new Receipt("r"));
    }

    @Test
    void labelTurnsOutwardActionsIntoADryRunWhileDecisionsGoOn() throws Exception {
        set(null, EFFECTS, Mode.SHADOW);
        engine.handle(CRM_WRITE, listing());
        engine.handle(CRMX, listing());
        engine.handle(MAIL, listing());
        assertExecuted(
                engine.run(DECIDE, call("k"), (order, tx) -> {
                    effects.apply(tx, "k");
                    tx.send(CRM_WRITE, note("write", "lane"));
                    tx.send(CRMX, note("x", "lane"));
                    tx.send(MAIL, note("mail", "lane"));
                    return new Receipt("r");
                }),
                "r");
        work();
        assertThat(effects.count("k")).isEqualTo(1);
        assertThat(handled).containsExactly("mail");
        assertThat(row(CRM_WRITE, "write").state()).isEqualTo(State.SHADOWED);
        assertThat(row(CRMX, "x").state()).isEqualTo(State.SHADOWED);
    }

    @Test
    void prefixIsComparedWithTheBeginningOfNames() {
        set(null, CRM, Mode.HALTED);
        engine.handle(CRM_WRITE, listing());
        engine.handle(CRMX, listing());
        send(CRM_WRITE, "write");
        send(CRMX, "x");
        work();
        assertThat(handled).containsExactly("x");
        assertThat(row(CRM_WRITE, "write").state()).isEqualTo(State.QUEUED);
        assertThat(read("k")).isInstanceOf(Answer.Halted.class);
        set(null, CRM, Mode.LIVE);
        assertThat(read("k")).isInstanceOf(Answer.Executed.class);
        work();
        assertThat(handled).containsExactly("x", "write");
        assertThat(store.switchboard().modes().settings()).isEmpty();
    }

    @Test
    void strictestOfAllSettingsWins() {
        set(null, CRM, Mode.SHADOW);
        set(null, EFFECTS, Mode.HALTED);
        engine.operator().setMode(new Switchboard.Setting(null, CRM_WRITE.name(), Mode.LIVE), WARRANT);
        engine.handle(CRM_WRITE, listing());
        send(CRM_WRITE, "write");
        work();
        assertThat(row(CRM_WRITE, "write").state()).isEqualTo(State.QUEUED);
        assertThat(read("k")).isInstanceOf(Answer.Shadowed.class);
        set(null, EFFECTS, Mode.LIVE);
        time.advance(CurrentModes.FRESH.plusMillis(1));
        work();
        assertThat(row(CRM_WRITE, "write").state()).isEqualTo(State.SHADOWED);
    }

    @Test
    void groupOfOneTenantLeavesTheOthersAlone() {
        set("globex", EFFECTS, Mode.HALTED);
        engine.handle(CRMX, listing());
        send(CRMX, "acme's");
        engine.send(
                CRMX, dev.semel.Message.of(dev.semel.Tenant.of("globex"), Key.of("g"), new Note("lane", "globex's")));
        work();
        assertThat(handled).containsExactly("acme's");
    }

    @Test
    void settingIsReadAsItWasWritten() {
        Group odd = new Group(By.PREFIX, "ünï \" ' % _ \\");
        set(null, odd, Mode.SHADOW);
        set("acme", EFFECTS, Mode.HALTED);
        Engine other = otherNode();
        assertThat(other.operator().modes().settings())
                .containsExactlyInAnyOrder(
                        Switchboard.Setting.forGroup(null, odd, Mode.SHADOW),
                        Switchboard.Setting.forGroup("acme", EFFECTS, Mode.HALTED));
        assertThat(other.operator().modes().settings().stream().map(Switchboard.Setting::group))
                .containsExactlyInAnyOrder(odd, EFFECTS);
        assertThat(exported().stream().filter(event -> "mode.changed".equals(event.get("type"))))
                .hasSize(2)
                .allMatch(event -> !event.toString().contains("\t"));
    }

    @Test
    void groupCannotBeTakenForAnOperation() {
        assertThatThrownBy(() -> Operation.leased(EFFECTS.stored(), String.class, String.class))
                .isInstanceOf(SemelException.Invalid.class);
        assertThat(Group.of("label side-effects")).isNull();
        assertThatThrownBy(() -> new Group(By.PREFIX, "")).isInstanceOf(SemelException.Invalid.class);
    }

    @Test
    void gatewayObeysTheModeOfAGroup() {
        Operation.Leased<byte[], byte[]> leased = Operation.leased("POST /crm", byte[].class, byte[].class)
                .withPolicy("steady")
                .withLabel("side-effects");
        set(null, EFFECTS, Mode.HALTED);
        Settled.Begun begun = engine.gatewayRuns().begin(leased, Call.of(ACME, Key.of("k"), new byte[] {1}));
        assertThat(((Settled.Answered) begun).answer()).isInstanceOf(Answer.Halted.class);
        set(null, EFFECTS, Mode.LIVE);
        set(null, new Group(By.PREFIX, "POST "), Mode.HALTED);
        begun = engine.gatewayRuns().begin(leased, Call.of(ACME, Key.of("k"), new byte[] {1}));
        assertThat(((Settled.Answered) begun).answer()).isInstanceOf(Answer.Halted.class);
    }

    @Test
    void d9_groupThatIsHaltedAfterTheClaimStartsNothing() {
        for (Group group : List.of(EFFECTS, CRM)) {
            String key = group.text();
            Engine node = pausedAfterItsClaim(time, () -> {
                set(null, group, Mode.HALTED);
                time.advance(CurrentModes.FRESH.plusMillis(1));
            });
            node.handle(CRM_WRITE, listing());
            send(CRM_WRITE, key);
            node.duties().worker().turn();
            assertThat(handled).isEmpty();
            assertThat(row(CRM_WRITE, key).state()).isEqualTo(State.QUEUED);
            stop(node);
            set(null, group, Mode.LIVE);
        }
        engine.handle(CRM_WRITE, listing());
        work();
        assertThat(handled).hasSize(2);
    }

    /** The node's reading is older than the setting, and still within the bound: the claim itself is refused. */
    @Test
    void d9_claimUnderAnOlderReadingOfTheModesGrantsNothing() {
        Engine node = otherNode();
        node.handle(CRM_WRITE, listing());
        work(node);
        set(null, EFFECTS, Mode.HALTED);
        send(CRM_WRITE, "a");
        work(node);
        assertThat(handled).isEmpty();
        assertThat(row(CRM_WRITE, "a").state()).isEqualTo(State.QUEUED);
        assertThat(row(CRM_WRITE, "a").status().fence()).isZero();
    }
}
