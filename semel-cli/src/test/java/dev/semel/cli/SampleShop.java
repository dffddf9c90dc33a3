package dev.semel.cli;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Failure.Category;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.store.Row;
import dev.semel.store.Store;
import dev.semel.store.StoreProvider;
import dev.semel.store.Stores;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

/** A shop that sends mails and tells its CRM, order by order; some of it fails. */
record SampleShop(String url, List<String> handled) {
    static final Tenant ACME = Tenant.of("acme");

    record Mail(String order, String to, String token) {}

    record Update(String order, String stage) {}

    private static final Policy BRISK = Policy.named("brisk").withoutBackoff().build();
    private static final Policy STRICT = BRISK.toBuilder()
            .withName("strict")
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();

    static final Operation.Leased<String, String> ORDER =
            Operation.leased("order", String.class, String.class).withPolicy("brisk");
    static final Channel.Leased<Mail> MAIL = Channel.leased("mail", Mail.class).withPolicy("brisk");
    static final Channel.Leased<Update> CRM =
            Channel.leased("crm", Update.class).withPolicy("strict").withLane(Update::order);

    static final Channel.Leased<Mail> FAX =
            Channel.leased("fax", Mail.class).withPolicy("brisk").asUnrepeatable();

    static SampleShop in(Path directory) {
        return at("sqlite:" + directory.resolve("shop.db"));
    }

    static SampleShop at(String url) {
        SampleShop shop = new SampleShop(url, new CopyOnWriteArrayList<>());
        shop.engine().close();
        return shop;
    }

    /** An order that was paid in a step and sent its mail, and a mail that was to go to nobody. */
    SampleShop withOrders() {
        try (Engine engine = engine()) {
            engine.run(ORDER, Call.of(ACME, Key.of("o-1"), "o-1"), (order, run) -> {
                run.step("pay", String.class, key -> "receipt");
                run.send(MAIL, Key.of("o-1"), new Mail(order, "ann@example.com", "s3cret"));
                return "done";
            });
            engine.send(MAIL, mail("o-2", "nobody"));
            work(engine);
        }
        return this;
    }

    /** A lane whose head is dead, with two behind it. */
    SampleShop withAParkedLane() {
        try (Engine engine = engine()) {
            for (String stage : List.of("broken", "paid", "shipped")) {
                Update update = new Update("o-7", stage);
                engine.send(CRM, Message.of(ACME, Key.of("o-7/" + stage), update));
            }
            work(engine);
        }
        return this;
    }

    /** So many mails that failed at the network until nobody tried again. */
    SampleShop withLostMails(int count) {
        try (Engine engine = engine()) {
            engine.sendAll(
                    MAIL,
                    java.util.stream.IntStream.range(0, count)
                            .mapToObj(i -> mail("lost-" + i, "unreachable"))
                            .toList());
            work(engine);
        }
        return this;
    }

    /** A fax to a machine that picked up and did not answer: nobody knows whether it printed anything. */
    SampleShop withADoubtfulFax() {
        try (Engine engine = engine()) {
            engine.send(FAX, mail("f-1", "+49 30 1234"));
            work(engine);
        }
        return this;
    }

    /** Sends without handling. */
    void send(String key, String to) {
        try (Engine engine = engine()) {
            engine.send(MAIL, mail(key, to));
        }
    }

    /** The receivers work now: handles all that is due. */
    void deliver() {
        try (Engine engine = settings().open()) {
            engine.handle(MAIL, (mail, run) -> handled.add(mail.order()));
            engine.handle(CRM, (update, run) -> handled.add(update.stage()));
            engine.handle(FAX, (mail, run) -> handled.add(mail.order()));
            work(engine);
        }
    }

    Row mailRow(String key) {
        return row("mail", key);
    }

    Row row(String operation, String key) {
        try (Store store = Stores.open(url, StoreProvider.Options.EXISTING)) {
            var id = Identity.of(ACME, operation, Key.of(key)).id();
            return Objects.requireNonNull(store.ledger().find(List.of(id)).get(id));
        }
    }

    private static Message<Mail> mail(String key, String to) {
        return Message.of(ACME, Key.of(key), new Mail(key, to, "s3cret")).withCorrelationId("c-" + key);
    }

    private Engine engine() {
        Engine engine = settings().open();
        engine.handle(MAIL, (mail, run) -> {
            if (mail.to().equals("nobody")) {
                throw Failure.of(Category.VALIDATION, "\"nobody\" is not an address.")
                        .asException();
            }
            if (mail.to().equals("unreachable")) {
                throw new java.net.ConnectException("connection refused");
            }
            if (mail.to().equals("busy") && run.attempt() == 1) {
                throw Failure.of(Category.UPSTREAM_ERROR, "The server is busy.").asException();
            }
            handled.add(mail.order());
        });
        engine.handle(CRM, (update, run) -> {
            if (update.stage().equals("broken")) {
                throw Failure.of(Category.MAPPING, "The CRM knows no stage \"broken\".")
                        .asException();
            }
            handled.add(update.stage());
        });
        engine.handle(FAX, (mail, run) -> {
            throw new java.net.SocketTimeoutException("no answer after the last page");
        });
        return engine;
    }

    private EngineSettings settings() {
        return EngineSettings.at(url).withPolicy(BRISK).withPolicy(STRICT).withoutBackground();
    }

    private static void work(Engine engine) {
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }
}
