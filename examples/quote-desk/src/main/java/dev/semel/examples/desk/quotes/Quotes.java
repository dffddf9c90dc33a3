package dev.semel.examples.desk.quotes;

import dev.semel.AtomicContext;
import dev.semel.Failure;
import dev.semel.Operation;
import dev.semel.Policy;
import dev.semel.Semel;
import dev.semel.examples.demo.Checkpoint;
import dev.semel.examples.desk.outbox.Card;
import dev.semel.examples.desk.outbox.Channels;
import dev.semel.examples.desk.outbox.CrmRecord;
import dev.semel.examples.desk.outbox.Note;
import dev.semel.examples.desk.outbox.RenderJob;
import dev.semel.examples.desk.shared.Asked;
import dev.semel.key.Keys;
import java.sql.SQLException;
import java.util.List;

/**
 * The operations on quotes. Each is atomic: the change, its audit event, its result and the messages that follow from it are one commit.
 * The handlers write to the database and send messages; what goes to other services is done by the channels' handlers, later.
 */
public final class Quotes {
    /** Where approvals are asked for. */
    public static final String DEAL_DESK = "deal-desk";

    /** One attempt at once; what failed may be repeated after a second. The inbox does that, so no thread waits. */
    static final Policy CHANGE = Policy.named("quote.change")
            .withMaxAttempts(1)
            .withRetention(Policy.Retention.WEBHOOKS)
            .build();

    // region operations
    public static final Operation.Atomic<NewQuote, Quote> CREATE = Operation.atomic(
                    "quote.create", NewQuote.class, Quote.class)
            .withPolicy(CHANGE)
            .withTransportFields(Asked.FIELD);
    public static final Operation.Atomic<Change, Price> PRICE = Operation.atomic(
                    "quote.price", Change.class, Price.class)
            .withPolicy(CHANGE)
            .withTransportFields(Asked.FIELD);
    public static final Operation.Atomic<Change, Approval> ROUTE = Operation.atomic(
                    "quote.route", Change.class, Approval.class)
            .withPolicy(CHANGE)
            .withTransportFields(Asked.FIELD);
    public static final Operation.Atomic<Decision, Quote> DECIDE = Operation.atomic(
                    "quote.decide", Decision.class, Quote.class)
            .withPolicy(CHANGE)
            .withTransportFields(Asked.FIELD);
    // endregion

    private final Checkpoint checkpoint;

    public Quotes(Checkpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    /** Registers the handlers. */
    public void register(Semel semel) {
        semel.handle(CREATE, this::create);
        semel.handle(PRICE, this::price);
        semel.handle(ROUTE, this::route);
        semel.handle(DECIDE, this::decide);
    }

    // region create
    private Quote create(NewQuote wanted, AtomicContext tx) throws SQLException {
        Price.demandProduct(wanted.product());
        QuoteTable table = new QuoteTable(tx.connection());
        Quote quote = table.insert(wanted);
        table.addEvent(quote, Action.CREATE, wanted.asked());
        showCard(tx, quote, wanted.asked(), "");
        checkpoint.reached("create.before-commit");
        return quote;
    }
    // endregion

    private Price price(Change change, AtomicContext tx) throws SQLException {
        QuoteTable table = new QuoteTable(tx.connection());
        Quote quote = current(table, change);
        demand(quote, Quote.State.DRAFT, Quote.State.PRICED);
        Price price = Price.of(quote);
        table.addPrice(quote, price, change.asked());
        table.addEvent(quote, Action.PRICE, change.asked());
        Quote priced = table.move(quote, Quote.State.PRICED, quote.version());
        showCard(tx, priced, change.asked(), Price.money(price.totalCents()));
        if (price.needsApproval()) {
            note(tx, change.asked(), "price", quote.id() + " needs an approval: " + price.rule() + ".", List.of());
        } else {
            approved(tx, priced, price, change.asked());
        }
        checkpoint.reached("price.before-commit");
        return price;
    }

    private Approval route(Change change, AtomicContext tx) throws SQLException {
        QuoteTable table = new QuoteTable(tx.connection());
        Quote quote = current(table, change);
        demand(quote, Quote.State.PRICED);
        Quote routed = table.move(quote, Quote.State.IN_APPROVAL, quote.version() + 1);
        Approval approval = table.addApproval(routed);
        table.addEvent(routed, Action.ROUTE, change.asked());
        showCard(tx, routed, change.asked(), Price.money(Price.of(routed).totalCents()));
        note(
                tx,
                change.asked().in(DEAL_DESK),
                "approval",
                change.asked().user() + " asks: approve " + routed.line() + "?",
                List.of(
                        new Note.Button("Approve", "approve", approval.id()),
                        new Note.Button("Reject", "reject", approval.id())));
        return approval;
    }

    private Quote decide(Decision decision, AtomicContext tx) throws SQLException {
        QuoteTable table = new QuoteTable(tx.connection());
        Quote quote = table.decide(decision);
        Quote decided = table.move(
                quote, decision.approve() ? Quote.State.APPROVED : Quote.State.REJECTED, quote.version() + 1);
        table.addEvent(decided, Action.DECIDE, decision.asked());
        Asked home = decision.asked().in(quote.content().asked().channel());
        Price price = Price.of(decided);
        showCard(
                tx,
                decided,
                home,
                Price.money(price.totalCents()) + " | by " + decision.asked().user());
        if (decision.approve()) {
            approved(tx, decided, price, home);
        }
        checkpoint.reached("decide.before-commit");
        return decided;
    }

    /** A price that stands goes to the CRM and to the customer. */
    private static void approved(AtomicContext tx, Quote quote, Price price, Asked asked) {
        String reference = quote.id() + "-v" + quote.version();
        tx.send(
                Channels.CRM,
                Channels.message(
                        Keys.action("crm", quote.id(), null, asked.requestId()),
                        new CrmRecord(reference, quote.id(), quote.content().customer(), price.totalCents(), asked),
                        asked));
        RenderJob job = new RenderJob(
                quote.id(),
                "Quote " + quote.id(),
                List.of(
                        "Customer: " + quote.content().customer(),
                        quote.content().quantity() + " x " + quote.content().product(),
                        "Discount: " + quote.content().discount() + " %",
                        "Total: " + Price.money(price.totalCents())),
                asked);
        tx.send(Channels.RENDER, Channels.message(Keys.action("pdf", quote.id(), null, asked.requestId()), job, asked));
    }

    private static Quote current(QuoteTable table, Change change) throws SQLException {
        Quote quote = table.get(change.quote());
        if (quote.version() != change.version()) {
            throw Failure.of(
                            Failure.Category.BUSINESS_RULE,
                            quote.id() + " has changed since: it is at version " + quote.version() + ".")
                    .asException();
        }
        return quote;
    }

    private static void demand(Quote quote, Quote.State... allowed) {
        if (!List.of(allowed).contains(quote.state())) {
            throw Failure.of(
                            Failure.Category.BUSINESS_RULE,
                            quote.id() + " is " + quote.state().words() + ": this was already processed.")
                    .asException();
        }
    }

    private static void showCard(AtomicContext tx, Quote quote, Asked asked, String more) {
        String text = quote.line() + (more.isEmpty() ? "" : " | " + more);
        tx.send(
                Channels.STATUS,
                Channels.message(
                        Keys.action("card", quote.id(), quote.state().name(), asked.requestId()),
                        new Card(quote.id(), asked.channel(), text, asked),
                        asked));
    }

    private static void note(AtomicContext tx, Asked asked, String what, String text, List<Note.Button> buttons) {
        String token = what + ":" + asked.requestId();
        tx.send(
                Channels.NOTICE,
                Channels.message(Keys.messageId(token), new Note(asked.channel(), token, text, buttons, asked), asked));
    }
}
