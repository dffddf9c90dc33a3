package dev.semel.server.console;

import dev.semel.Call;
import dev.semel.Channel;
import dev.semel.Failure;
import dev.semel.Key;
import dev.semel.Message;
import dev.semel.Mode;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Tenant;
import dev.semel.engine.Engine;
import dev.semel.engine.EngineSettings;
import dev.semel.key.Identity;
import dev.semel.operator.Operator.Warrant;
import dev.semel.store.Switchboard.Setting;
import dev.semel.testkit.Await;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;

/** Fills a ledger with records in every state, of two tenants, before a server opens it. */
final class TroubledLedger {
    static final List<String> TENANTS = List.of("acme", "globex");

    /** Must be shown as it is. */
    static final String MARKUP =
            "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>";

    record Mail(String order, String to, String token) {}

    record Receipt(String order, String total) {}

    private static final Policy STEADY = Policy.named("steady")
            .withDelays(Duration.ofMillis(300), Duration.ofMillis(900))
            .withMaxAttempts(3)
            .build();
    private static final Policy STRICT = Policy.named("strict")
            .withoutBackoff()
            .withDeadHead(Policy.DeadHead.PARK_LANE)
            .build();
    private static final Policy PATIENT = Policy.named("patient")
            .withDelays(Duration.ofMinutes(10), Duration.ofHours(1))
            .build();

    private static final Operation.Leased<String, Receipt> ORDER =
            Operation.leased("order", String.class, Receipt.class).withPolicy("steady");
    private static final Channel.Leased<Mail> MAIL =
            Channel.leased("mail", Mail.class).withPolicy("steady");
    private static final Channel.Leased<Mail> CRM =
            Channel.leased("crm", Mail.class).withPolicy("strict").withLane(Mail::order);
    private static final Channel.Leased<Mail> FAX =
            Channel.leased("fax", Mail.class).withPolicy("steady").asUnrepeatable();
    private static final Channel.Leased<Mail> INVOICE =
            Channel.leased("invoice", Mail.class).withPolicy("patient");
    private static final Channel.Atomic<String> PLAN =
            Channel.atomic("plan", String.class).withPolicy("steady");

    private final Engine engine;
    private final String complaint;

    private TroubledLedger(Engine engine, String complaint) {
        this.engine = engine;
        this.complaint = complaint;
    }

    /**
     * Fills the store behind the address, and closes it.
     *
     * @param complaint what one of the failures says
     */
    static void fill(String url, String complaint) {
        try (Engine engine = EngineSettings.at(url)
                .withPolicy(STEADY)
                .withPolicy(STRICT)
                .withPolicy(PATIENT)
                .withoutBackground()
                .open()) {
            TroubledLedger ledger = new TroubledLedger(engine, complaint);
            ledger.handle();
            TENANTS.forEach(tenant -> ledger.fill(Tenant.of(tenant)));
            ledger.workUntilSettled();
            TENANTS.forEach(tenant -> ledger.wait(Tenant.of(tenant)));
            ledger.shadow();
            PastHour.write(engine.store().activity().orElseThrow());
            engine.duties().sealer().sealAll();
        }
    }

    static String id(String tenant, String operation, String key) {
        return Identity.of(Tenant.of(tenant), operation, Key.of(key)).id().hex();
    }

    private void handle() {
        engine.handle(MAIL, (mail, run) -> {
            failing(mail, "unreachable", new ConnectException("connection refused by smtp.example:25"));
            failing(
                    mail,
                    "full",
                    Failure.of(Failure.Category.VALIDATION, "mailbox full: " + complaint)
                            .asException());
        });
        engine.handle(
                CRM,
                (mail, run) -> failing(
                        mail,
                        "broken",
                        Failure.of(Failure.Category.MAPPING, "The CRM knows no stage \"broken\".")
                                .asException()));
        engine.handle(
                FAX, (mail, run) -> failing(mail, "silent", new SocketTimeoutException("no answer after 77 pages")));
        engine.handle(
                INVOICE,
                (mail, run) -> failing(
                        mail,
                        "busy",
                        Failure.of(Failure.Category.RATE_LIMITED, "429 Too Many Requests")
                                .asException()));
        engine.handle(PLAN, (text, tx) -> tx.send(MAIL, tx.key("mail"), new Mail(text, "ann", "t")));
    }

    private static void failing(Mail mail, String when, Exception failure) throws Exception {
        if (mail.to().equals(when)) {
            throw failure;
        }
    }

    private void fill(Tenant tenant) {
        for (int i = 1; i <= 6; i++) {
            String order = "o-" + i;
            engine.run(ORDER, Call.of(tenant, Key.of(order), order).withCorrelationId("c-" + order), (text, run) -> {
                run.step("pay", String.class, key -> "receipt");
                run.step("reserve", String.class, key -> "shelf 4");
                run.send(MAIL, Key.of(text), new Mail(text, "ann", "s3cret"));
                run.send(INVOICE, Key.of(text), new Mail(text, text.equals("o-2") ? "busy" : "ann", "s3cret"));
                return new Receipt(text, "42.00");
            });
        }
        for (int i = 1; i <= 4; i++) {
            send(tenant, MAIL, "lost-" + i, "unreachable");
        }
        send(tenant, MAIL, "full-1", "full");
        send(tenant, CRM, "o-7", "broken");
        send(tenant, FAX, "f-1", "silent");
        send(tenant, FAX, "f-2", "silent");
    }

    private void wait(Tenant tenant) {
        engine.send(CRM, Message.of(tenant, Key.of("o-7b"), new Mail("o-7", "fine", "s3cret")));
        engine.send(CRM, Message.of(tenant, Key.of("o-7c"), new Mail("o-7", "fine", "s3cret")));
        for (int i = 1; i <= 3; i++) {
            engine.send(
                    MAIL,
                    Message.of(tenant, Key.of("later-" + i), new Mail("later", "ann", "s3cret"))
                            .withDelay(Duration.ofHours(i)));
        }
    }

    private void shadow() {
        engine.operator().setMode(new Setting(null, "plan", Mode.SHADOW), new Warrant("test", "dry run"));
        TENANTS.forEach(tenant -> engine.send(PLAN, Message.of(Tenant.of(tenant), Key.of("p-1"), "p-1")));
        work();
    }

    private void send(Tenant tenant, Channel<Mail> channel, String key, String to) {
        engine.send(
                channel,
                Message.of(tenant, Key.of(key), new Mail(key, to, "s3cret")).withCorrelationId("c-" + key));
    }

    private void workUntilSettled() {
        Await.until("the mails that cannot be delivered are dead", () -> {
            work();
            return engine.operator()
                            .list(
                                    dev.semel.store.State.FAILED_TERMINAL,
                                    dev.semel.store.RecordFilter.ALL,
                                    dev.semel.store.RecordFilter.Cursor.START,
                                    100)
                            .size()
                    >= 12;
        });
    }

    private void work() {
        while (engine.duties().worker().turn()) {
            // until a round finds nothing
        }
    }
}
