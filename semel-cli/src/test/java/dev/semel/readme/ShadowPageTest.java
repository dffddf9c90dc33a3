package dev.semel.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.semel.Answer;
import dev.semel.AtomicContext;
import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Semel;
import dev.semel.Sent;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.key.RecordId;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.State;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import dev.semel.store.Switchboard;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/shadow.md shows and says, run. */
@Timeout(300)
class ShadowPageTest {
    private static final Operation.Atomic<Order, Receipt> PLACE = Operation.atomic("place", Order.class, Receipt.class);
    private static final Operation.Leased<Order, Receipt> PAY = Operation.leased("pay", Order.class, Receipt.class);
    private static final Channel.Leased<Order> SHIP = Channel.leased("ship", Order.class);
    private static final Warrant WARRANT = new Warrant("ann", "for real");

    record Order(String id) {}

    record Receipt(String number) {}

    @TempDir
    Path directory;

    private final Tenant tenant = Tenant.of("acme");
    private final Order order = new Order("o-1");
    private final List<String> differences = new ArrayList<>();
    private final AtomicInteger runs = new AtomicInteger();
    private final OldShop oldShop = new OldShop();
    private NewShop newShop = new NewShop("r-");

    /** The code that is to be replaced. */
    private static final class OldShop {
        Receipt place(Order order) {
            return new Receipt("r-" + order.id());
        }
    }

    /** The code that replaces it: it writes a row, and may number its receipts in another way. */
    private record NewShop(String prefix) {
        Receipt place(Order order, AtomicContext tx) throws SQLException {
            try (var statement = tx.connection().createStatement()) {
                statement.execute("CREATE TABLE orders (id TEXT)");
            }
            tx.send(SHIP, Key.of(order.id()), order);
            return new Receipt(prefix + order.id());
        }
    }

    private Engine open(Mode mode) {
        Store store = Stores.open("sqlite:" + directory.resolve("ledger.db"), new StoreProvider.Options(null, false));
        return EngineSettings.on(store).withMode(mode).open();
    }

    private Receipt placeBeside(Semel semel) {
        // region beside
        Receipt receipt = oldShop.place(order);

        Answer<Receipt> rehearsed = semel.run(PLACE, Call.of(tenant, Key.of(order.id()), order), newShop::place);
        if (rehearsed instanceof Answer.Shadowed<Receipt> dry && !receipt.equals(dry.result())) {
            differences.add(order.id());
        }
        return receipt;
        // endregion
    }

    @Test
    void rehearsalBesideTheOldCodeFindsDifferencesAndTakesNoEffect() {
        try (Semel semel = open(Mode.SHADOW)) {
            assertThat(placeBeside(semel)).isEqualTo(new Receipt("r-o-1"));
            assertThat(placeBeside(semel)).as("an atomic call leaves no record").isEqualTo(new Receipt("r-o-1"));
            assertThat(differences).isEmpty();
            newShop = new NewShop("R");
            placeBeside(semel);
            assertThat(differences).containsExactly("o-1");
        }
        try (Semel semel = open(Mode.LIVE)) {
            Answer<Receipt> live = semel.run(PLACE, Call.of(tenant, Key.of(order.id()), order), newShop::place);
            assertThat(live).as("its table was rolled back each time").isInstanceOf(Answer.Executed.class);
        }
    }

    private Answer<Receipt> pay(Semel semel) {
        return semel.run(PAY, Call.of(tenant, Key.of(order.id()), order), (each, run) -> {
            runs.incrementAndGet();
            return new Receipt("paid");
        });
    }

    @Test
    void leasedCallOfARehearsalStaysShadowedUntilItIsReplayed() {
        try (Engine engine = open(Mode.SHADOW)) {
            assertThat(pay(engine)).isInstanceOf(Answer.Shadowed.class);
        }
        try (Engine engine = open(Mode.LIVE)) {
            assertThat(pay(engine)).isInstanceOf(Answer.Shadowed.class);
            assertThat(runs).hasValue(0);
            engine.operator().replay(Identity.of(tenant, "pay", Key.of("o-1")).id(), WARRANT);
            assertThat(pay(engine)).isInstanceOf(Answer.Executed.class);
            assertThat(runs).hasValue(1);
        }
    }

    @Test
    void labelTurnsOutwardActionsIntoADryRunWhileDecisionsGoOn() {
        // region label
        Channel.Leased<Order> crm = Channel.leased("crm.write", Order.class).withLabel("side-effects");
        Channel.Leased<Order> mail = Channel.leased("mail", Order.class).withLabel("side-effects");
        Channel.Atomic<Order> decide = Channel.atomic("decide", Order.class);
        // endregion
        Store store = Stores.open("memory:", StoreProvider.Options.DEFAULT);
        try (Engine engine = EngineSettings.on(store).withoutBackground().open()) {
            engine.operator()
                    .setMode(
                            Switchboard.Setting.forGroup(
                                    null,
                                    new Switchboard.Group(Switchboard.Group.By.LABEL, "side-effects"),
                                    Mode.SHADOW),
                            WARRANT);
            engine.handle(crm, (each, run) -> runs.incrementAndGet());
            engine.handle(mail, (each, run) -> runs.incrementAndGet());
            engine.handle(decide, (each, tx) -> {
                tx.send(crm, Key.of(each.id()), each);
                tx.send(mail, Key.of(each.id()), each);
            });
            engine.send(decide, Message.of(tenant, Key.of("o-1"), order));
            while (engine.duties().worker().turn()) {
                // until a round finds nothing
            }
            assertThat(runs).hasValue(0);
            assertThat(state(store, "decide")).isEqualTo(State.COMPLETED);
            assertThat(state(store, "crm.write")).isEqualTo(State.SHADOWED);
            assertThat(state(store, "mail")).isEqualTo(State.SHADOWED);
        }
    }

    private State state(Store store, String operation) {
        RecordId id = Identity.of(tenant, operation, Key.of("o-1")).id();
        return store.ledger().find(List.of(id)).get(id).state();
    }

    @Test
    void messageOfARehearsalIsAcceptedAndNotHandledUntilItIsReplayed() {
        Store store = Stores.open("memory:", StoreProvider.Options.DEFAULT);
        RecordId id = Identity.of(tenant, "ship", Key.of("o-1")).id();
        try (Engine engine = EngineSettings.on(store)
                .withMode(Mode.SHADOW)
                .withoutBackground()
                .open()) {
            engine.handle(SHIP, (each, run) -> runs.incrementAndGet());
            assertThat(engine.send(SHIP, Message.of(tenant, Key.of("o-1"), order)))
                    .isInstanceOf(Sent.Accepted.class);
            engine.duties().worker().turn();
            assertThat(store.ledger().find(List.of(id)).get(id).state()).isEqualTo(State.SHADOWED);
            assertThat(runs).hasValue(0);
        }
    }
}
